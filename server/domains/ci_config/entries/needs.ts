import { isHash, isList, isText, type Value } from '../language/values.ts'
import { allowedKeys, attributes, bool, text } from './checks.ts'
import type { Entry, Node } from './node.ts'

const JOB = new Set(['job', 'artifacts', 'optional', 'parallel'])
const PIPELINE_JOB = new Set(['pipeline', 'job', 'artifacts'])
const PROJECT_JOB = new Set(['project', 'job', 'ref', 'artifacts'])
const BRIDGE = new Set(['pipeline'])

/** The form of one item of `needs:`; undefined for an invalid one. */
export type NeedKind = 'job' | 'cross_pipeline' | 'cross_project' | 'bridge'

/** Recognizes the form of an item. */
export function needKind(item: Value): NeedKind | undefined {
  if (isText(item)) return 'job'
  if (!isHash(item)) return undefined
  if (item.has('project')) return 'cross_project'
  if (item.has('pipeline')) return item.has('job') ? 'cross_pipeline' : 'bridge'
  return item.has('job') ? 'job' : undefined
}

/** `needs:`, of a job or of a trigger job. */
export function needs(allowed: readonly NeedKind[]): Entry {
  return (node) => {
    if (!isHash(node.value) && !isList(node.value)) {
      return node.config('can only be a hash or an array')
    }
    const items = isList(node.value) ? node.value.flatMap((one) => (isList(one) ? one : [one])) : [node.value]
    const kinds = items.map(needKind)
    const wrong = kinds.filter((kind): kind is NeedKind => kind !== undefined && !allowed.includes(kind))
    if (wrong.length > 0) node.config(`uses invalid types: ${[...new Set(wrong)].join(', ')}`)
    if (!node.ok) return
    for (const item of items) one(node.item('need', item))
  }
}

function one(node: Node): void {
  const kind = needKind(node.value)
  if (kind === undefined) return node.plain('has an unsupported type')
  if (isText(node.value)) {
    if (node.value.trim() === '') node.config("can't be blank")
    return
  }
  if (kind === 'bridge') {
    allowedKeys(node, BRIDGE)
    return attributes(node, { pipeline: text })
  }
  allowedKeys(node, kind === 'job' ? JOB : kind === 'cross_pipeline' ? PIPELINE_JOB : PROJECT_JOB)
  if (isText(node.get('job')) ? node.get('job') === '' : node.get('job') === null)
    node.attribute('job', "can't be blank")
  if (kind === 'cross_project' && node.get('ref') === null) node.attribute('ref', "can't be blank")
  attributes(node, { pipeline: text, project: text, job: text, ref: text, artifacts: bool, optional: bool })
}
