/** Counts the records that a written world leaves out, for the comment at its top. */
export class Omissions {
  readonly #kinds = new Map<string, { count: number; examples: Set<string> }>()

  /** `kind` in the plural: "merge requests from forks". */
  add(kind: string, example?: string, count = 1): void {
    if (count === 0) return
    const entry = this.#kinds.get(kind) ?? { count: 0, examples: new Set() }
    entry.count += count
    if (example !== undefined && entry.examples.size <= MAX_EXAMPLES) entry.examples.add(example)
    this.#kinds.set(kind, entry)
  }

  addAll(other: Omissions): void {
    for (const [kind, { count, examples }] of other.#kinds) {
      this.add(kind, undefined, count)
      const ownExamples = this.#kinds.get(kind)!.examples
      for (const example of examples) if (ownExamples.size <= MAX_EXAMPLES) ownExamples.add(example)
    }
  }

  /** A line for each kind, without line ends. */
  lines(): string[] {
    return [...this.#kinds].map(([kind, { count, examples }]) => {
      const names = [...examples].slice(0, MAX_EXAMPLES).map((name) => name.replaceAll(/[^\P{C}]/gu, '?'))
      const ellipsis = examples.size > MAX_EXAMPLES ? ', …' : ''
      return `${count} ${kind}${names.length > 0 ? `: ${names.join(', ')}${ellipsis}` : ''}`
    })
  }
}

/** The maximum number of examples in a line. */
const MAX_EXAMPLES = 5
