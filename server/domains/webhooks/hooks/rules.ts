import { fail, Failure } from '../../../lib/fail.ts'
import { checkTemplate } from '../deliveries/template.ts'
import { isGoodFilter } from './branch-filter.ts'
import type { HookSecrets } from './sealing.ts'
import type { HookRow } from './store.ts'

/** Names of variables and headers: words, joined by single dots, dashes or underscores. */
const NAME = /^[A-Za-z][A-Za-z0-9]*(?:[._-][A-Za-z0-9]+)*$/
const MAX_NAME = 255
const MAX_VALUE = 2048
const MOST = 20

const MAX_TEMPLATE = 4096

/** What the connection itself needs cannot be a header of the owner's. */
const RESERVED =
  /^(connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i

/** What is checked beside the address. */
export type CheckedHook = Pick<HookSecrets, 'token' | 'url_variables' | 'custom_headers'> &
  Pick<
    HookRow,
    | 'name'
    | 'description'
    | 'custom_webhook_template'
    | 'branch_filter_strategy'
    | 'push_events_branch_filter'
  >

/** Throws 422 `{"error": "…"}`, as webhooks have it (spec administration 3.6). */
export function refuse(error: string): never {
  throw new Failure('unprocessable', undefined, { body: { error } })
}

/** Throws 422: in a word of its own for the branch filter, by field for everything else. */
export function checkHook(hook: CheckedHook): void {
  if (!isGoodFilter(hook)) refuse('Invalid branch filter given')
  const problems: Record<string, string[]> = {
    name: tooLong(hook.name, 255),
    description: tooLong(hook.description, MAX_VALUE),
    token: tooLong(hook.token, MAX_VALUE),
    url_variables: mapProblems(hook.url_variables),
    custom_headers: [...mapProblems(hook.custom_headers), ...reservedNames(hook.custom_headers)],
    custom_webhook_template: templateProblems(hook.custom_webhook_template),
  }
  const present = Object.entries(problems).filter(([, texts]) => texts.length > 0)
  if (present.length > 0) throw fail('unprocessable', Object.fromEntries(present))
}

function mapProblems(values: Readonly<Record<string, string>>): string[] {
  const entries = Object.entries(values)
  const isGood = ([name, value]: [string, string]) =>
    NAME.test(name) && name.length <= MAX_NAME && value.length <= MAX_VALUE
  const empty = entries.filter(([, value]) => value === '').map(([name]) => `${name} has no value`)
  return [
    ...empty,
    ...(entries.every(isGood) ? [] : ['must be a valid json schema']),
    ...(entries.length > MOST ? [`is too long (maximum is ${MOST} entries)`] : []),
  ]
}

function reservedNames(headers: Readonly<Record<string, string>>): string[] {
  return Object.keys(headers)
    .filter((name) => RESERVED.test(name))
    .map((name) => `${name} is reserved`)
}

function templateProblems(template: string | null): string[] {
  if (template === null) return []
  const length = tooLong(template, MAX_TEMPLATE)
  // A long one is not worth the time to look into it.
  if (length.length > 0) return length
  const problem = checkTemplate(template)
  return problem === undefined ? [] : [problem]
}

function tooLong(text: string | null, max: number): string[] {
  return text !== null && text.length > max ? [`is too long (maximum is ${max} characters)`] : []
}
