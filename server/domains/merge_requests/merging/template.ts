/** What a placeholder stands for; an empty text where there is nothing to say. */
export type Placeholders = Readonly<Record<string, () => string | Promise<string>>>

/**
 * Fills `%{name}` in a text for commits. A line that is nothing but an empty placeholder goes, together with the line
 * ends before it; names that are not known stay as they are.
 */
export async function fillTemplate(template: string, placeholders: Placeholders): Promise<string> {
  const text = template.replace(/\r\n?/g, '\n')
  const names = [...new Set([...text.matchAll(/%\{(\w+)\}/g)].map((match) => match[1]!))]
  const known = names.filter((name) => Object.hasOwn(placeholders, name))
  const filled = new Map<string, string>()
  for (const name of known) filled.set(name, await placeholders[name]!())
  const empty = known.filter((name) => filled.get(name) === '')
  const shorter = empty.reduce(
    (rest, name) => rest.replace(new RegExp(`\\n+%\\{${name}\\}$`, 'gm'), ''),
    text,
  )
  const result = shorter.replace(/%\{(\w+)\}/g, (whole, name: string) => filled.get(name) ?? whole)
  return result.replace(/^\s*\n/, '').trimEnd()
}
