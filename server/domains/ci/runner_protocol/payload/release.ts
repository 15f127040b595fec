import type { Json } from '../../../ci_config/index.ts'
import { hashOf, textOf, textsOf } from './values.ts'

/** Key of the configuration → flag of the command. */
const FLAGS = {
  name: 'name',
  description: 'description',
  tag_name: 'tag-name',
  tag_message: 'tag-message',
  ref: 'ref',
  released_at: 'released-at',
} as const

/** The line that makes the release of a job, to be run by its shell, which puts variables in; none without `release:`. */
export function releaseLines(release: Json): string[] {
  if (!release) return []
  const single = Object.entries(FLAGS).flatMap(([key, flag]) => {
    const value = textOf(release[key])
    return value === null ? [] : [` --${flag} ${quoted(value)}`]
  })
  const milestones = (textsOf(release['milestones']) ?? []).map((title) => ` --milestone ${quoted(title)}`)
  const links = hashOf(release['assets'])['links']
  const assets = (Array.isArray(links) ? links : []).map(
    (link) => ` --assets-link ${quoted(JSON.stringify(link))}`,
  )
  return [`release-cli create${[...single, ...milestones, ...assets].join('')}`]
}

/** In double quotes, so that variables are put in and nothing else happens. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"`]/g, (char) => `\\${char}`)}"`
}
