/** Values by key, which exist as long as the instance runs. */
export class InstanceValues {
  readonly #values = new Map<string, { readonly value: unknown; readonly dependsOnRows: boolean }>()

  of<T>(key: string, make: () => T, dependsOnRows: boolean): T {
    const cached = this.#values.get(key)
    if (cached) return cached.value as T
    const value = make()
    this.#values.set(key, { value, dependsOnRows })
    return value
  }

  /** Drops the values that depend on the rows. */
  forgetContent(): void {
    for (const [key, { dependsOnRows }] of this.#values) if (dependsOnRows) this.#values.delete(key)
  }
}
