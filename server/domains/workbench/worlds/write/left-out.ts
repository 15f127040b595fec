/** Counts the records that a written world leaves out, for the comment at its top. */
export class LeftOut {
  readonly #kinds = new Map<string, { count: number; where: Set<string> }>()

  /** `kind` in the plural: "merge requests from forks". */
  add(kind: string, where?: string, count = 1): void {
    if (count === 0) return
    const found = this.#kinds.get(kind) ?? { count: 0, where: new Set() }
    found.count += count
    if (where !== undefined && found.where.size <= EXAMPLES) found.where.add(where)
    this.#kinds.set(kind, found)
  }

  addAll(other: LeftOut): void {
    for (const [kind, { count, where }] of other.#kinds) {
      this.add(kind, undefined, count)
      const { where: own } = this.#kinds.get(kind)!
      for (const one of where) if (own.size <= EXAMPLES) own.add(one)
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
