"""The words of letters with links to follow, and of those about an address that changes: subject and text."""

from __future__ import annotations

LETTERS = {
    "reset": ("A new password for Hedgerow", "With this link you can choose a new password. It holds for an hour."),
    "confirm": ("Is this your address?", "With this link you confirm that this address is yours."),
    "signup": ("Do you want to play?", "Somebody, probably you, asked for an account with this address."),
}
"""What stands above a link, by its kind."""
MOVED = {
    True: (
        "Another address for Hedgerow",
        "Somebody, probably you, asked that mails for {name} go to {address} instead of here. They do as soon as "
        "that address is confirmed; until then they come here.\n\n"
        "If it was not you, somebody else gets into your account. Choose a new password, which also calls this off:\n\n"
        "{url}/reset\n",
    ),
    False: (
        "No more mails from Hedgerow",
        "Somebody, probably you, took this address away from the account {name}. No more mails come here.\n",
    ),
}
"""What an address is told that another takes the place of, or none."""
