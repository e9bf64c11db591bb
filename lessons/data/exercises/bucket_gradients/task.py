"""Which gradients travel together.

Check it with: worldsize check bucket_gradients.py
"""


def bucket_gradients(sizes, first_cap, cap):
    """DDP's buckets: which gradients share an all-reduce.

    `sizes` has the bytes of each parameter's gradient in the model's
    order: parameter 0 belongs to the first layer. The backward pass goes
    the other way, so the gradient of the last parameter is ready first.
    Gradients are put into a bucket one after another, in the order in
    which they get ready.

    A bucket is closed as soon as its bytes have reached its cap. The
    gradient with which they reach it is still in this bucket, so a bucket
    may hold more than its cap. The next gradient opens a new bucket. The
    first bucket has a cap of its own, `first_cap`; all others have `cap`.
    Caps and sizes are in bytes. What is in the last bucket travels when
    the backward pass is over, full or not.

    Return a list of buckets, as they are sent. A bucket is a list of
    parameter numbers, in the order in which their gradients get ready.

    Example: five gradients of 10 MiB with a first cap of 1 MiB and a cap
    of 25 MiB make three buckets, [[4], [3, 2, 1], [0]].
    """
    # Here everything travels in one bucket, after the backward pass.
    return [list(range(len(sizes)))]
