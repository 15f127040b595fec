import { secondsOf, Hash, isHash, isList, isText, plain, textOf, type Value } from '../language/values.ts'
import { needKind } from '../entries/simple.ts'
import { flatten, seconds } from '../entries/checks.ts'
import type { Environment, Json, Need, OtherNeeds, Policy, Retry, RootVariable, Rule } from '../types.ts'
import type { Variable } from '../language/variables.ts'

// These functions write out the keywords of a job in full. They rely on the checks of `entries/`.

/** The lines of a script, which may be nested lists. */
export function linesOf(value: Value | undefined): string[] {
  return value === undefined || value === null ? [] : flatten(value).map(textOf)
}

/** The texts of a list, which may be nested. Null if the value is no list. */
export function textsOf(value: Value | undefined): string[] | null {
  return isList(value) ? flatten(value).map(textOf) : null
}

export function textOrNull(value: Value | undefined): string | null {
  return value === undefined || value === null ? null : textOf(value)
}

/** A mapping as JSON, or null. */
export function jsonOf(value: Value | undefined): Json {
  return isHash(value) ? (plain(value) as Json) : null
}

export function variablesOf(value: Value | undefined): Variable[] {
  if (!isHash(value)) return []
  return [...value].map(([key, item]) => {
    const raw = isHash(item) && item.get('expand') === false
    return { key, value: textOf(isHash(item) ? item.get('value') : item), ...(raw ? { raw } : {}) }
  })
}

export function rootVariablesOf(value: Value | undefined): RootVariable[] {
  if (!isHash(value)) return []
  return variablesOf(value).map((variable) => {
    const item = value.get(variable.key)
    return {
      ...variable,
      description: isHash(item) ? textOrNull(item.get('description')) : null,
      options: isHash(item) ? textsOf(item.get('options')) : null,
    }
  })
}

export function rulesOf(value: Value | undefined): Rule[] | null {
  return isList(value) ? flatten(value).filter(isHash).map(ruleOf) : null
}

function ruleOf(rule: Hash): Rule {
  const [changes, exists] = [rule.get('changes'), rule.get('exists')]
  const allowFailure = rule.get('allow_failure')
  const interruptible = rule.get('interruptible')
  return {
    if: textOrNull(rule.get('if')),
    changes: isHash(changes)
      ? { paths: textsOf(changes.get('paths')) ?? [], compare_to: textOrNull(changes.get('compare_to')) }
      : isList(changes)
        ? { paths: textsOf(changes)!, compare_to: null }
        : null,
    exists: isHash(exists) ? textsOf(exists.get('paths')) : textsOf(exists),
    when: textOrNull(rule.get('when')),
    start_in: seconds(rule.get('start_in') ?? null),
    allow_failure: typeof allowFailure === 'boolean' ? allowFailure : null,
    variables: variablesOf(rule.get('variables')),
    needs: rule.has('needs') ? needsOf(rule.get('needs')).jobs : null,
    interruptible: typeof interruptible === 'boolean' ? interruptible : null,
  }
}

export function policyOf(value: Value | undefined): Policy | null {
  if (isList(value)) return { refs: textsOf(value), variables: null, changes: null, kubernetes: null }
  if (!isHash(value)) return null
  return {
    refs: textsOf(value.get('refs')),
    variables: textsOf(value.get('variables')),
    changes: textsOf(value.get('changes')),
    kubernetes: textOrNull(value.get('kubernetes')),
  }
}

const NO_NEEDS: OtherNeeds = { cross_pipeline: [], cross_project: [], bridge: null }

/** The needed jobs of the same pipeline (null without `needs`), and the needs that name other pipelines. */
export function needsOf(value: Value | undefined): { jobs: Need[] | null; others: OtherNeeds } {
  if (value === undefined || value === null) return { jobs: null, others: NO_NEEDS }
  const items = isList(value) ? flatten(value) : [value]
  const get = (item: Value, key: string) => (isHash(item) ? textOf(item.get(key)) : '')
  const flag = (item: Value, key: string, fallback: boolean) => {
    const setting = isHash(item) ? item.get(key) : undefined
    return typeof setting === 'boolean' ? setting : fallback
  }
  const itemsOf = (kind: string) => items.filter((item) => needKind(item) === kind)
  const jobs = itemsOf('job').map((item) => ({
    name: isText(item) ? item : get(item, 'job'),
    artifacts: flag(item, 'artifacts', true),
    optional: flag(item, 'optional', false),
  }))
  const cross_pipeline = itemsOf('cross_pipeline').map((item) => ({
    pipeline: get(item, 'pipeline'),
    job: get(item, 'job'),
    artifacts: flag(item, 'artifacts', true),
  }))
  const cross_project = itemsOf('cross_project').map((item) => ({
    project: get(item, 'project'),
    job: get(item, 'job'),
    ref: get(item, 'ref'),
    artifacts: flag(item, 'artifacts', true),
  }))
  const [bridge] = itemsOf('bridge')
  const isOnlyBridge = jobs.length === 0 && bridge !== undefined
  return {
    jobs: isOnlyBridge ? null : jobs,
    others: { cross_pipeline, cross_project, bridge: bridge === undefined ? null : get(bridge, 'pipeline') },
  }
}

export function environmentOf(value: Value | undefined): Environment | null {
  if (value === undefined || value === null) return null
  const hash = isHash(value) ? value : new Hash().set('name', value)
  return {
    name: textOf(hash.get('name')),
    url: textOrNull(hash.get('url')),
    action: textOrNull(hash.get('action')) ?? 'start',
    on_stop: textOrNull(hash.get('on_stop')),
    auto_stop_in: textOrNull(hash.get('auto_stop_in')),
    deployment_tier: textOrNull(hash.get('deployment_tier')),
    kubernetes: plain(hash.get('kubernetes')),
  }
}

export function retryOf(value: Value | undefined): Retry | null {
  if (value === undefined || value === null) return null
  const hash = isHash(value) ? value : new Hash().set('max', value)
  const [when, codes] = [hash.get('when'), hash.get('exit_codes')]
  return {
    max: Number(hash.get('max') ?? 0),
    when: when === undefined || when === null ? ['always'] : flatten(when).map(textOf),
    exit_codes: codes === undefined || codes === null ? null : flatten(codes).map(Number),
  }
}

export function imageOf(value: Value | undefined): Json {
  if (value === undefined || value === null) return null
  if (!isHash(value)) return { name: textOf(value) }
  const json = { ...jsonOf(value) }
  if (typeof json['pull_policy'] === 'string') json['pull_policy'] = [json['pull_policy']]
  return json
}

export function cachesOf(value: Value | undefined): Json[] {
  if (value === undefined || value === null) return []
  return (isList(value) ? value : [value]).filter(isHash).map((hash) => ({
    key: 'default',
    policy: 'pull-push',
    when: 'on_success',
    ...jsonOf(hash),
  }))
}

export function triggerOf(value: Value | undefined): Json {
  if (value === undefined || value === null) return null
  if (!isHash(value)) return { project: textOf(value) }
  const json = { ...jsonOf(value) }
  const include = value.get('include')
  if (include !== undefined && include !== null) {
    const items = isList(include) ? include : [include]
    json['include'] = items.map((item) => {
      if (!isText(item)) return plain(item)
      return /^https?:\/\//i.test(item) ? { remote: item } : { local: item }
    })
  }
  return json
}

/** The seconds of a duration, or null. */
export function durationOf(value: Value | undefined): number | null {
  return isText(value) ? secondsOf(value) : seconds(value ?? null)
}
