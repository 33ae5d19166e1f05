"""Tables, figures and exercises of the sources, reproduced and compared."""
