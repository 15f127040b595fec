import { type Variable, expandText, expandAll } from '../../ci_config/index.ts'

/** A variable on its way to a job. */
export interface Item {
  readonly key: string
  readonly value: string
  /** Service containers of the job receive it, too. */
  readonly isPublic?: boolean
  /** The runner hides its value in the log. */
  readonly isMasked?: boolean
  /** It comes as the path of a file with the value. */
  readonly isFile?: boolean
  /** Neither expanded nor expanded into others. */
  readonly isRaw?: boolean
}

type Values = Readonly<Record<string, string | number | null | undefined>>

/** Variables that hide nothing, in order; those without a value are left out. */
export function plain(values: Values): Item[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: String(value), isPublic: true }],
  )
}

/**
 * Texts that somebody wrote, such as a commit message. In a job they stand for themselves: with a `$` in them their author
 * would otherwise read variables of whoever runs the job.
 */
export function texts(values: Values): Item[] {
  return plain(values).map((item) => ({ ...item, isRaw: true }))
}

/** What must not be seen in logs. */
export function secrets(values: Values): Item[] {
  return plain(values).map(({ key, value }) => ({ key, value, isMasked: true }))
}

/** A moment as variables have it: without fractions of a second. */
export function moment(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z')
}

/** A text with the values of variables that are expanded already; names without one become nothing, `$$` stays. */
export function expandWith(text: string, variables: readonly Pick<Variable, 'key' | 'value'>[]): string {
  const byKey = new Map(variables.map(({ key, value }) => [key, value]))
  return expandText(text, (name) => byKey.get(name))
}

/** One item for each name, the strongest (the last one), at the position of the first one. */
export function strongest(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.key, item])).values()]
}

/**
 * Items, one for each name, with their values put into each other. Files and raw ones stay as they are, and their names
 * stay in others: at the runner they mean a path, and a text that stands for itself. Unknown names stay as well.
 */
export function expandItems(items: readonly Item[]): Item[] {
  const { values } = expandAll(
    items.map(({ key, value, isRaw, isFile }) => ({ key, value, raw: isRaw === true || isFile === true })),
  )
  return items.map((item) => ({ ...item, value: values.get(item.key)! }))
}

/** Names of before that scripts still read, and the variable that each is a copy of (spec ci 2.13). */
const COPIES: Readonly<Record<string, string>> = {
  CI_BUILD_REF: 'CI_COMMIT_SHA',
  CI_BUILD_BEFORE_SHA: 'CI_COMMIT_BEFORE_SHA',
  CI_BUILD_REF_NAME: 'CI_COMMIT_REF_NAME',
  CI_BUILD_REF_SLUG: 'CI_COMMIT_REF_SLUG',
  CI_BUILD_TAG: 'CI_COMMIT_TAG',
  CI_BUILD_ID: 'CI_JOB_ID',
  CI_BUILD_TOKEN: 'CI_JOB_TOKEN',
  CI_BUILD_NAME: 'CI_JOB_NAME',
  CI_BUILD_STAGE: 'CI_JOB_STAGE',
  CI_BUILD_MANUAL: 'CI_JOB_MANUAL',
  CI_BUILD_TRIGGERED: 'CI_PIPELINE_TRIGGERED',
}

/** The old names of those that are there. */
export function legacyOf(items: readonly Item[]): Item[] {
  const byKey = new Map(items.map((item) => [item.key, item]))
  return Object.entries(COPIES).flatMap(([key, of]) => {
    const item = byKey.get(of)
    return item ? [{ ...item, key }] : []
  })
}
