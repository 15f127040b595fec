import type { Item, Result } from '../../../api/client.ts'
import type { Filter } from '../../../components/filter/filters.ts'
import { t } from '../../../locales/t.ts'

export type RequestLine = Item<'GET /-/workbench/inspector/requests'>
export type RequestInFull = Result<'GET /-/workbench/inspector/requests/:reference'>
export type Hint = RequestLine['hints'][number]
export type Comparison = Result<'GET /-/workbench/inspector/comparison'>

export const BASE = '/-/workbench/inspector'

/** What the hints are called. */
const HINTS: Record<Hint['kind'], string> = {
  ignored_parameters: t('inspector.parameters_ignored'),
  deprecated: t('inspector.deprecated'),
  pages_not_followed: t('inspector.pages_not_followed'),
  hidden_by_permission: t('inspector.n404_instead_of_403'),
  many_single_reads: t('inspector.many_single_reads'),
  no_if_none_match: t('inspector.no_if_none_match'),
}
export const hintWord = (kind: Hint['kind']): string => HINTS[kind]

/** A sentence about one hint, with what to do instead. */
export const hintText = ({ kind, names, count }: Hint): string => {
  const list = names.join(', ')
  switch (kind) {
    case 'ignored_parameters':
      return t('inspector.the_endpoint_does_not_know_names', { names: list })
    case 'deprecated':
      return list
        ? t('inspector.deprecated_parameters_names', { names: list })
        : t('inspector.this_endpoint_is_deprecated')
    case 'pages_not_followed':
      return t('inspector.the_list_has_a_next_page_which_the')
    case 'hidden_by_permission':
      return t('inspector.the_resource_exists')
    case 'many_single_reads':
      return t('inspector.count_reads_of_this_endpoint_within_a', { count: count ?? 0 })
    case 'no_if_none_match':
      return t('inspector.the_client_had_the_same_answer_already')
  }
}

const CREDENTIALS: Record<string, string> = {
  none: t('inspector.without_credentials'),
  session: t('inspector.session'),
  personal_token: t('inspector.access_token'),
  bearer_token: t('inspector.bearer_token'),
  password: t('common.password'),
  job_token: t('inspector.job_token'),
  deploy_token: t('inspector.deploy_token'),
  deploy_key: t('inspector.deploy_key'),
  invalid: t('inspector.invalid_credentials'),
}
export const credentialWord = (credential: string): string => CREDENTIALS[credential] ?? credential

const STEPS: Record<string, string> = {
  authenticate: t('inspector.authenticate'),
  receive: t('inspector.receive'),
  params: t('inspector.parameters'),
  scope: t('inspector.scope'),
  authorize: t('inspector.authorize'),
  run: t('inspector.run'),
  present: t('inspector.present'),
}
export const stepWord = (step: string): string => STEPS[step] ?? step

/** The meaning of a status, as a color. */
export const toneOf = (status: number): 'ok' | 'warn' | 'bad' | undefined =>
  status >= 500 ? 'bad' : status >= 400 ? 'warn' : status >= 200 && status < 300 ? 'ok' : undefined

/** Milliseconds with as many digits as one can use. */
export const duration = (ms: number): string =>
  `${ms >= 100 ? ms.toFixed(0) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(2)} ms`

const choices = (values: Record<string, string>) =>
  Object.entries(values).map(([value, label]) => ({ value, label }))

/** The filters of the list. */
export const filters: readonly Filter[] = [
  {
    key: 'hint',
    label: t('inspector.hints'),
    kind: 'choice',
    options: [{ value: 'any', label: t('inspector.any_hint') }, ...choices(HINTS)],
  },
  {
    key: 'status',
    label: t('inspector.status'),
    kind: 'choice',
    options: ['2xx', '3xx', '4xx', '5xx', '401', '403', '404', '429'].map((value) => ({
      value,
      label: value,
    })),
  },
  {
    key: 'method',
    label: t('inspector.method'),
    kind: 'choice',
    options: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'].map((value) => ({ value, label: value })),
  },
  { key: 'credential', label: t('inspector.credentials'), kind: 'choice', options: choices(CREDENTIALS) },
  {
    key: 'slower_than',
    label: t('inspector.slower_than'),
    kind: 'choice',
    options: ['5', '20', '100', '1000'].map((value) => ({ value, label: `${value} ms` })),
  },
]
