/** A user or group that a text calls. */
export interface NameInText {
  /** User name, or full path of a group, as it was written. */
  readonly name: string
  /** A line begins with it, alone or after other names. */
  readonly leading: boolean
}

/**
 * Names after an `@` in a Markdown text, each once: outside of code, links and the words of others. Who is quoted is
 * not called again.
 */
export async function namesIn(text: string): Promise<NameInText[]> {
  if (!text.includes('@')) return []
  // Loaded when first needed: the renderer is a tenth of the memory of an idle instance.
  const { readMarkdown } = await import('../../lib/markdown.ts')
  const found = new Map<string, NameInText>()
  for (const { reference, leading, quote } of readMarkdown(text).marks) {
    if (reference?.kind !== 'user' || quote) continue
    const key = reference.name.toLowerCase()
    found.set(key, { name: reference.name, leading: leading || (found.get(key)?.leading ?? false) })
  }
  return [...found.values()]
}
