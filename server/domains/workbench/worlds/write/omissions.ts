/** Counts the records that a written world leaves out, for the comment at its top. */
export class Omissions {
  readonly #kinds = new Map<string, { count: number; where: Set<string> }>()

  /** `kind` in the plural: "merge requests from forks". */
  add(kind: string, where?: string, count = 1): void {
    if (count === 0) return
    const entry = this.#kinds.get(kind) ?? { count: 0, where: new Set() }
    entry.count += count
    if (where !== undefined && entry.where.size <= EXAMPLES) entry.where.add(where)
    this.#kinds.set(kind, entry)
  }

  addAll(other: Omissions): void {
    for (const [kind, { count, where }] of other.#kinds) {
      this.add(kind, undefined, count)
      const { where: examples } = this.#kinds.get(kind)!
      for (const example of where) if (examples.size <= EXAMPLES) examples.add(example)
    }
  }

  /** A line for each kind, without line ends. */
  lines(): string[] {
    return [...this.#kinds].map(([kind, { count, where }]) => {
      const names = [...where].slice(0, EXAMPLES).map((name) => name.replaceAll(/[^\P{C}]/gu, '?'))
      const more = where.size > EXAMPLES ? ', …' : ''
      return `${count} ${kind}${names.length > 0 ? `: ${names.join(', ')}${more}` : ''}`
    })
  }
}

const EXAMPLES = 5
