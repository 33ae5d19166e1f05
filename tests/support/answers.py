"""Answers to any question of an exercise: a right one and a wrong one."""


def own(question):
    """The answer of the engine, as somebody would give it."""
    if question.kind == "choice":
        return str(question.data.answer.choice)[1:-1]
    return question.table(51) if question.kind == "motion" else question.answer


def spoilt(question):
    """Another answer of the same form."""
    if question.kind == "choice":
        right = set(question.data.answer.choice)
        return ", ".join(str(k) for k in range(1, len(question.data.choices) + 1) if k not in right)
    if question.kind == "motion":
        table = question.table(51)
        return {name: column if name == "t" else 1.1 * column + 0.05 for name, column in table.items()}
    shape = question._expected.shape
    texts = [f"({formula.text})*1.3 + 0.2" for formula in question._expected.formulas]
    if not shape:
        return texts[0]
    if len(shape) == 1:
        return f"[{', '.join(texts)}]"
    return "; ".join(", ".join(texts[k : k + shape[1]]) for k in range(0, len(texts), shape[1]))
