import type { Shape } from '../../http/endpoint.ts'
import { sentences, type Param } from '../../http/param.ts'
import { bool, choice, int, text } from '../../http/params.ts'
import { invalid } from '../../lib/fail.ts'
import { type Field, type Flag, FLAG_DEFAULTS, type Integration } from './catalogue/index.ts'
import type { Value } from './settings.ts'

/** The maximum length of a setting of one line and of several lines, in characters. */
const LINE = 4096
const LINES = 65_536

const FLAG_TITLES: Partial<Readonly<Record<Flag, string>>> = {
  archive_trace_events: 'Logs of jobs',
  comment_on_event_enabled: 'Comments on mentioned issues',
  commit_events: 'Commits',
  confidential_issues_events: 'Confidential issues',
  confidential_note_events: 'Confidential comments',
  deployment_events: 'Deployments',
  issues_events: 'Issues',
  job_events: 'Jobs',
  merge_requests_events: 'Merge requests',
  note_events: 'Comments',
  pipeline_events: 'Pipelines',
  push_events: 'Pushes',
  tag_push_events: 'Tags',
  wiki_page_events: 'Wiki pages',
}

/** Returns the title of a flag. */
export function flagTitle(flag: Flag): string {
  return FLAG_TITLES[flag] ?? flag.replace(/_events$/, '').replaceAll('_', ' ')
}

/** Parameters are immutable, so integrations with the same flags share them. */
const FLAG_PARAMS = Object.fromEntries(
  (Object.keys(FLAG_DEFAULTS) as Flag[]).map((flag) => [
    flag,
    bool()
      .optional()
      .describe(`Enable notifications for: ${flagTitle(flag)}`),
  ]),
) as Readonly<Record<string, Param<unknown>>>
const ACTIVE = bool().optional().describe('Ignored: setting up an integration always activates it')

/** The parameter type of a setting. */
export function typeOf({ type, min, max, choices }: Field): Param<unknown> {
  if (type === 'boolean') return bool()
  if (type === 'integer')
    return int({ ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) })
  if (type === 'choice') return choice(...choices!)
  return text({ max: type === 'lines' ? LINES : LINE })
}

function paramOf(field: Field, isChecked: boolean): Param<unknown> {
  const { title, help, is_required, unless } = field
  const type = typeOf(field)
  const label = help ? `${title}. ${help}` : title
  if (is_required && isChecked) return type.describe(label)
  const description = is_required ? `${label}${unless ? '' : '. Required.'}` : label
  const isText = field.type === 'text' || field.type === 'lines'
  return (isText && !is_required ? type.nullable() : type).optional().describe(description)
}

/** The parameters for setting up an integration: its settings and event flags. */
export function paramsOf(integration: Integration): Shape {
  // A required setting may depend on another one. Then the service reports missing settings after parsing.
  const isChecked = integration.fields.every((field) => !field.unless)
  return {
    ...Object.fromEntries(integration.fields.map((field) => [field.name, paramOf(field, isChecked)])),
    ...Object.fromEntries(integration.flags.map((flag) => [flag, FLAG_PARAMS[flag]!])),
    active: ACTIVE,
  }
}

/** The settings and flags of a request. Undefined values stay unchanged; null clears a setting. */
export interface IntegrationInput {
  readonly values: Readonly<Record<string, Value>>
  readonly flags: Readonly<Partial<Record<Flag, boolean>>>
  readonly active: boolean
}

/** Splits validated parameters into settings and flags. */
export function inputFromParams(
  integration: Integration,
  params: Readonly<Record<string, unknown>>,
): IntegrationInput {
  const pick = (names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => (params[name] === undefined ? [] : [[name, params[name]]])))
  return {
    values: pick(integration.fields.map((field) => field.name)) as IntegrationInput['values'],
    flags: pick(integration.flags) as IntegrationInput['flags'],
    active: (params['active'] as boolean | undefined) ?? true,
  }
}

function readValue(
  field: Field,
  text: string,
  values: Record<string, Value>,
  problems: Record<string, string>,
): void {
  const result = typeOf(field).safeParse(text)
  if (result.success) values[field.name] = result.data as Value
  else problems[field.name] = sentences(result.error)[0]!.replace(/^body /, '')
}

/**
 * Reads the texts of a form: an empty text clears a setting or secret, a missing one keeps it. Throws 400 with problems
 * by field for values of the wrong type.
 */
export function inputFromForm(
  integration: Integration,
  texts: Readonly<Record<string, string>>,
  flags: Readonly<Record<string, string>>,
): IntegrationInput {
  const problems: Record<string, string> = {}
  const values: Record<string, Value> = {}
  for (const field of integration.fields) {
    const text = texts[field.name]
    if (text === undefined) continue
    if (text === '') values[field.name] = null
    else readValue(field, text, values, problems)
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
  const entries = integration.flags.flatMap((flag) =>
    flags[flag] === undefined ? [] : [[flag, flags[flag] === 'true']],
  )
  return { values, flags: Object.fromEntries(entries) as Partial<Record<Flag, boolean>>, active: true }
}
