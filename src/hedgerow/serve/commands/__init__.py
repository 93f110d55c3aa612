"""The command language of play by mail: one parser and one set of use cases, for mail, page and terminal."""
