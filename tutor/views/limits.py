"""How large a scene may be: what a screen and a JSON document can still hold, not what the engine can compute."""

MOST_WORKERS = 64
MOST_LENGTH = 10_000  # numbers in an array
MOST_STATES = 10_000_000  # numbers in all workers' arrays after all steps: a few seconds of JSON
MOST_FRAMES = 300_000  # the same where each step is kept, not computed when it is looked at; workers squared x numbers
LARGEST_SEED = 2**32 - 1
MOST_PARAMS = 10**15
MOST_GPUS = 10**6
MOST_BYTES = 10**15
MOST_TOKENS = 10**12
MOST_FACTOR = 1_000
MOST_LAYERS = 256
MOST_SECONDS = 10**6
MOST_BYTES_PER_PARAM = 1_000
MOST_MESH_GPUS = 512
MOST_PLANNED_GPUS = 2**16  # a second of planning
MOST_PLANNED_BATCH = 2**16
MOST_RANKS = 1_024
MOST_MICRO_BATCHES = 2**20
MOST_CHUNKS = 64
MOST_STAGE_LAYERS = 16_384  # layers of a model that is cut into stages
MOST_SLOTS = 1_000_000  # in a row; with finer slots the engine gives no grid either
MOST_SEQUENCE = 2**24  # tokens
MOST_SEQUENCES = 2**16  # of a micro-batch
