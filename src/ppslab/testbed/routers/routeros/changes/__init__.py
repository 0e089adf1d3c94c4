"""Changes of a router: each stands in a journal before it is made, with its way back."""
