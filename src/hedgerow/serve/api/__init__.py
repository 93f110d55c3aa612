"""The JSON API, a file per topic; OpenAPI describes it."""
