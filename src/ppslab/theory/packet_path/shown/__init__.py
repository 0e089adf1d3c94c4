"""An answer as it is shown: the words that the terminal, the page of HTML and the site share."""
