"""Words of sonic-cli for values of the plan, and back."""

from rackproof.types import Fec

FEC_WORDS: dict[str, Fec] = {"RS": "rs", "FC": "fc", "off": "none", "none": "none"}
"""``interface.xml`` of the Broadcom management framework offers FC, RS and off; Dell's collection also shows none."""

FEC_FREE_BELOW_GBPS = 25
"""IEEE 802.3 has no FEC for NRZ lanes slower than 25 Gb/s: such a port gets no line."""


def fec_word(fec: Fec, speed_gbps: int) -> str:
    """Return the word after ``fec``, or nothing where the port's speed has no FEC to choose."""
    if fec == "none":
        return "" if speed_gbps < FEC_FREE_BELOW_GBPS else "off"
    return fec.upper()


def speed_word(speed_gbps: int, cage: str) -> str:
    """Return the word after ``speed``, in Mb/s; twisted pair negotiates it (IEEE 802.3 clause 40 requires that)."""
    return f"auto {speed_gbps * 1000}" if cage == "rj45" else str(speed_gbps * 1000)


def quoted(text: str) -> str:
    """Return ``text`` as one word: in quotes when it has blanks."""
    return f'"{text}"' if " " in text else text


def unquoted(word: str) -> str:
    """Return the text of a word that may stand in quotes."""
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] == '"' else word
