"""Models behind any endpoint that speaks the OpenAI protocol. Every reply is a value of a declared form, or an error."""
