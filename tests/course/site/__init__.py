"""The site: what its directives make, what its pages may load, and what runs on them."""
