"""A PDF in the making: its sheets, its title, author and language, and a structure that screen readers follow."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from reportlab.pdfbase.pdfdoc import PDFArray, PDFDictionary, PDFName, PDFString
from reportlab.pdfgen.canvas import Canvas

from hedgerow.paper import fonts
from hedgerow.paper.sizes import Sheet

AUTHOR = "Hedgerow"


class Document:
    """Pages are drawn on `canvas`, from the lower left corner; `finish` gives the PDF, equal for equal drawings."""

    def __init__(self, title: str, sheet: Sheet, subject: str = "", lang: str = "en") -> None:
        fonts.load()
        self.sheet, self._out = sheet, io.BytesIO()
        self.canvas = Canvas(
            self._out,
            pagesize=(sheet.width, sheet.height),
            pageCompression=1,
            invariant=1,
            initialFontName=fonts.ROMAN,  # type: ignore[arg-type]  # the stubs are wrong
            lang=lang,
            pdfVersion=(1, 7),
        )
        self._inside: Any = self.canvas
        """The canvas with what reportlab has no methods for: the code of the page, and the objects of the file."""
        self.canvas.setTitle(title)
        self.canvas.setAuthor(AUTHOR)
        self.canvas.setCreator(AUTHOR)
        if subject:
            self.canvas.setSubject(subject)
        self.canvas.setViewerPreference("DisplayDocTitle", "true")
        self.pages = 0
        self._tree = PDFDictionary({"Type": PDFName("StructElem"), "S": PDFName("Document")})
        self._elements: list[Any] = []
        self._here: list[Any] = []
        self._parents: list[Any] = []

    @property
    def width(self) -> float:
        return self.sheet.width

    @property
    def height(self) -> float:
        return self.sheet.height

    def turn(self, sheet: Sheet) -> None:
        """The next pages are sheets of this size."""
        self.sheet = sheet
        self.canvas.setPageSize((sheet.width, sheet.height))

    def end_page(self) -> None:
        """The sheet is done; what is drawn next is on another one."""
        self.canvas.showPage()
        page = self._inside._doc.Pages.pages[-1]
        page.__NoDefault__ = [*page.__NoDefault__, "StructParents"]
        page.StructParents = self.pages
        self._parents += [self.pages, PDFArray(self._here)]
        self._here, self.pages = [], self.pages + 1

    # --- structure ----------------------------------------------------------------------------------------------------

    @contextmanager
    def tagged(self, role: str, alt: str = "") -> Iterator[Canvas]:
        """What is drawn inside is a heading (H1, H2), a paragraph (P) or a Figure that `alt` tells in words."""
        self._inside._code.append(f"/{role} <</MCID {len(self._here)}>> BDC")
        yield self.canvas
        self._inside._code.append("EMC")
        element = {
            "Type": PDFName("StructElem"),
            "S": PDFName(role),
            "P": self._reference(self._tree),
            "Pg": self._inside._doc.thisPageRef(),
            "K": len(self._here),
        }
        if alt:
            element["Alt"] = PDFString(alt)
        reference = self._reference(PDFDictionary(element))
        self._here.append(reference)
        self._elements.append(reference)

    @contextmanager
    def furniture(self) -> Iterator[Canvas]:
        """What is drawn inside is no part of what the document says: cutting marks, page numbers."""
        self._inside._code.append("/Artifact BMC")
        yield self.canvas
        self._inside._code.append("EMC")

    def _reference(self, thing: Any) -> Any:
        return self._inside._doc.Reference(thing)

    def _close_tree(self) -> None:
        catalog = self._inside._doc.Catalog
        root = PDFDictionary({"Type": PDFName("StructTreeRoot"), "K": self._reference(self._tree)})
        root["ParentTree"] = self._reference(PDFDictionary({"Nums": PDFArray(self._parents)}))
        self._tree["P"] = self._reference(root)
        self._tree["K"] = PDFArray(self._elements)
        catalog.StructTreeRoot = root
        catalog.MarkInfo = PDFDictionary({"Marked": "true"})

    def finish(self) -> bytes:
        """The bytes of the PDF."""
        self._close_tree()
        self.canvas.save()
        return self._out.getvalue()
