import { RE2JS } from 're2js'

import { readFile } from '../../../git/read/blob.ts'
import { checkPath } from '../../../git/names.ts'
import type { Repo } from '../../../git/types.ts'
import { CHANGELOG_CONFIG_FILE } from '../../../lib/aliases.ts'
import { parseTemplate, TemplateError, type TextTemplate } from '../../../lib/text/text-template.ts'

/** A changelog cannot be generated. The message is for the user. */
export class ChangelogError extends Error {
  override readonly name = 'ChangelogError'
}

/** The changelog settings of a project (spec core 4.1). */
export interface ChangelogConfig {
  /** A strftime format. */
  readonly date_format: string
  /** The titles of categories by the value of the trailer. The default title is the value itself. */
  readonly categories: ReadonlyMap<string, string>
  readonly template: TextTemplate
  /** A pattern for version tags, with the groups major, minor, patch, pre and meta. */
  readonly tag_regex: RE2JS
  /** The full paths of groups. Their members are credited even if they are members of the project. */
  readonly include_groups: readonly string[]
}

const MAX_BYTES = 128 * 1024

const TEMPLATE = `\
{% if categories %}
{% each categories %}
### {{ title }} ({% if single_change %}1 change{% else %}{{ count }} changes{% end %})

{% each entries %}
- [{{ title }}]({{ commit.reference }})\\
{% if author.credit %} by {{ author.reference }}{% end %}\\
{% if merge_request %} ([merge request]({{ merge_request.reference }})){% end %}

{% end %}

{% end %}
{% else %}
No changes.
{% end %}
`

const NUMBER = '(0|[1-9]\\d*)'
const WORD = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)'
const TAG_REGEX = `^v?${NUMBER.replace('(', '(?P<major>')}\\.${NUMBER.replace('(', '(?P<minor>')}\\.${NUMBER.replace('(', '(?P<patch>')}(?:-(?P<pre>${WORD}(?:\\.${WORD})*))?(?:\\+(?P<meta>[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$`

/**
 * Reads the configuration from a file of the commit. Without `file`, reads the default file if it exists. Throws
 * ChangelogError if `file` does not exist or the configuration is invalid.
 */
export async function readConfig(
  repo: Repo,
  commit: string,
  file: string | undefined,
): Promise<ChangelogConfig> {
  const configFile = await readFile(repo, commit, checkPath(file || CHANGELOG_CONFIG_FILE), {
    maxBytes: MAX_BYTES,
  })
  if (!configFile && file) throw new ChangelogError(`There is no file ${file}`)
  return configOf(configFile ? await load(configFile.content.toString('utf8')) : {})
}

async function load(text: string): Promise<Record<string, unknown>> {
  // The parser is loaded when the first project with such a file needs it.
  const { parse } = await import('yaml')
  try {
    const content: unknown = parse(text, { maxAliasCount: 20 })
    if (content === null || content === undefined) return {}
    if (typeof content === 'object' && !Array.isArray(content)) return content as Record<string, unknown>
  } catch {
    // Invalid YAML gets the error below.
  }
  throw new ChangelogError('The configuration is not a valid YAML mapping')
}

function configOf(input: Record<string, unknown>): ChangelogConfig {
  return {
    date_format: textOf(input['date_format'], 'date_format', '%Y-%m-%d'),
    categories: categoriesOf(input['categories']),
    template: templateOf(textOf(input['template'], 'template', TEMPLATE)),
    tag_regex: regexOf(textOf(input['tag_regex'], 'tag_regex', TAG_REGEX)),
    include_groups: listOf(input['include_groups']),
  }
}

function textOf(value: unknown, name: string, fallback: string): string {
  if (value === undefined || value === null) return fallback
  if (typeof value !== 'string') throw new ChangelogError(`${name} must be a text`)
  return value
}

function categoriesOf(value: unknown): ReadonlyMap<string, string> {
  if (value === undefined || value === null) return new Map()
  const entries = typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : undefined
  if (!entries?.every(([, title]) => typeof title === 'string')) {
    throw new ChangelogError("The categories configuration must be a mapping of trailers' values to titles")
  }
  return new Map(entries as [string, string][])
}

function listOf(value: unknown): string[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw new ChangelogError('include_groups must be a list of paths')
  return value.map(String).slice(0, 100)
}

function templateOf(source: string): TextTemplate {
  try {
    return parseTemplate(source)
  } catch (error) {
    if (error instanceof TemplateError) throw new ChangelogError(error.message)
    throw error
  }
}

function regexOf(source: string): RE2JS {
  let regex: RE2JS
  try {
    regex = RE2JS.compile(source)
  } catch {
    throw new ChangelogError('The regular expression to use for finding the previous tag is invalid')
  }
  const groups = regex.namedGroups()
  if (!['major', 'minor', 'patch'].every((name) => name in groups)) {
    throw new ChangelogError('The tag_regex needs the groups major, minor and patch')
  }
  return regex
}
