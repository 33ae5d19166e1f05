"""Tables, figures and exercises of the sources, rebuilt and compared."""
