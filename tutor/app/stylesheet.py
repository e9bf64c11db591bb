"""The app's styles, parsed once: Textual parses every file again whenever a screen brings one more."""

from __future__ import annotations

from textual.css.stylesheet import Stylesheet


class ParsedOnce(Stylesheet):
    """A stylesheet whose files stay as they are while the app runs, and whose variables hardly ever change."""

    def set_variables(self, variables: dict[str, str]) -> None:
        """Sets the variables; what was parsed with the same ones is kept."""
        if variables != self._variables:
            super().set_variables(variables)

    def reparse(self) -> None:
        """Takes in what is new. Raises StylesheetError."""
        self.parse()
