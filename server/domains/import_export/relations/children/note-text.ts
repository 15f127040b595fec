import { SERVICE_NAME } from '../../../../http/aliases.ts'
import { childOf, requiredText, textOf, timeOf } from '../checked.ts'
import type { Fields, Person } from '../relation.ts'

/** What a note without a text says. */
const BLANK = '*Blank note*'

/**
 * The text of a note. Where its author is nobody here, a line below says who wrote it and when (spec administration 6.5), for the
 * account it is given to did not.
 */
export function noteText(record: Fields, author: Person): string {
  const text = textOf(record, 'note')
  const said = text === null || text.trim() === '' ? BLANK : text
  const named = childOf(record, 'author')
  if (author.known || named === null) return said
  const name = requiredText(named, 'name', 255).replaceAll(/[*\r\n]+/g, ' ')
  const at = timeOf(record, 'updated_at') ?? timeOf(record, 'created_at')
  return `${said}\n\n*By ${name}${at === null ? '' : ` on ${at}`} (imported from ${SERVICE_NAME})*`
}
