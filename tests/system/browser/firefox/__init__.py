"""The site in Debian's Firefox, which is driven by WebDriver BiDi."""
