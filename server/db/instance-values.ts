/** Values by key, which exist as long as the instance runs. */
export class InstanceValues {
  readonly #values = new Map<string, { readonly value: unknown; readonly ofContent: boolean }>()

  of<T>(key: string, make: () => T, ofContent: boolean): T {
    const cached = this.#values.get(key)
    if (cached) return cached.value as T
    const value = make()
    this.#values.set(key, { value, ofContent })
    return value
  }

  /** Drops the values that depend on the rows. */
  forgetContent(): void {
    for (const [key, { ofContent }] of this.#values) if (ofContent) this.#values.delete(key)
  }
}
