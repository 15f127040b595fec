import { WEEK, isBlank, isHash, isList, isText, isTexts, type Value } from '../language/values.ts'
import { artifacts, cache } from './artifacts.ts'
import {
  allowedKeys,
  attributes,
  bool,
  durationOrNever,
  maxDuration,
  requireHash,
  isNested,
  mapping,
  oneOf,
  text,
  textOrTexts,
  texts,
  maxLength,
  type Rule,
} from './checks.ts'
import { DEFAULT_KEYS } from './defaults.ts'
import { visit, type Entry, type Node } from './node.ts'
import { parallel, retry } from './retry.ts'
import { policy, jobRules } from './rules.ts'
import {
  allowFailure,
  coverage,
  hooks,
  idTokens,
  inherit,
  interruptible,
  script,
  secrets,
  stage,
  tags,
  timeout,
  release,
  needKind,
  needs,
  image,
  services,
} from './simple.ts'
import { jobVariables } from './variables.ts'

const PROJECT_TRIGGER_KEYS = new Set(['project', 'branch', 'strategy', 'forward'])

const CHILD_TRIGGER_KEYS = new Set(['include', 'strategy', 'forward'])

const INCLUDE_KEYS = new Set([
  'local',
  'file',
  'ref',
  'project',
  'remote',
  'template',
  'artifact',
  'job',
  'rules',
  'inputs',
])

const FORWARD_KEYS = new Set(['yaml_variables', 'pipeline_variables'])

const MAX_INCLUDES = 3

const strategy = (value: Value) => value !== 'depend' && 'should be depend'

const forward: Entry = (node) => {
  if (!requireHash(node)) return
  allowedKeys(node, FORWARD_KEYS)
  attributes(node, { yaml_variables: bool, pipeline_variables: bool })
}

const include: Entry = (node) => {
  if (isText(node.value)) return
  if (isHash(node.value)) return includeItem(node)
  if (!isList(node.value)) return node.configError('should be an array or a string')
  if (node.value.length > MAX_INCLUDES) return node.configError(`is too long (maximum is ${MAX_INCLUDES})`)
  for (const item of node.value) if (!isText(item)) includeItem(node.item('include', item))
}

function includeItem(node: Node): void {
  if (!isHash(node.value)) return node.configError('should be a hash or a string')
  allowedKeys(node, INCLUDE_KEYS)
  if (node.has('project') && isBlank(node.get('file'))) {
    node.configError('must specify the file where to fetch the config from')
  }
  if (node.has('artifact') && isBlank(node.get('job'))) {
    node.configError('must specify the job where to fetch the artifact from')
  }
}

/** `trigger:`, which names another project or includes the configuration of a child pipeline. */
const trigger: Entry = (node) => {
  if (isText(node.value)) {
    if (node.value.trim() === '') node.configError("can't be blank")
    return
  }
  if (!isHash(node.value)) return node.error('has to be either a string or a hash')
  if (node.has('include')) allowedKeys(node, CHILD_TRIGGER_KEYS)
  else if (node.has('project')) {
    allowedKeys(node, PROJECT_TRIGGER_KEYS)
    if (isBlank(node.get('project'))) node.attributeError('project', "can't be blank")
    attributes(node, { project: text, branch: text })
  } else return node.configError('must specify either project or include')
  attributes(node, { strategy })
  visit(node, { include, forward })
}

const ENVIRONMENT_KEYS = new Set([
  'name',
  'url',
  'action',
  'on_stop',
  'auto_stop_in',
  'deployment_tier',
  'kubernetes',
])

const ENVIRONMENT_NAME = /^[\w\-/${}. ]+$/

const ACTIONS = ['start', 'stop', 'prepare', 'verify', 'access']

const TIERS = ['production', 'staging', 'testing', 'development', 'other']

/** `environment:` (spec ci 4.5, 5.2). */
const environment: Entry = (node) => {
  if (isText(node.value)) return checkName(node, node.value)
  if (!isHash(node.value)) return node.configError('should be a hash or a string')
  allowedKeys(node, ENVIRONMENT_KEYS)
  checkName(node, node.get('name'))
  attributes(node, {
    url: [text, maxLength(255)],
    action: (value) => !isOneOf(value, ACTIONS) && `should be start, stop or prepare`,
    deployment_tier: (value) => !isOneOf(value, TIERS) && `must be one of ${TIERS.join(', ')}`,
    on_stop: text,
    kubernetes: mapping,
    auto_stop_in: (value) => (isText(value) && value.includes('$') ? false : durationOrNever(value)),
  })
}

function checkName(node: Node, name: Value): void {
  if (isBlank(name)) return node.attributeError('name', "can't be blank")
  if (!isText(name)) return node.attributeError('name', 'should be a string')
  if (name.length > 255) node.attributeError('name', 'is too long (maximum is 255 characters)')
  if (!ENVIRONMENT_NAME.test(name) || name.startsWith('/') || name.endsWith('/')) {
    node.attributeError(
      'name',
      "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'",
    )
  }
}

function isOneOf(value: Value, list: readonly string[]): boolean {
  return isText(value) && list.includes(value)
}

/** The keywords of both jobs and trigger jobs, in the order in which they are checked. */
const PROCESSABLE = {
  stage,
  only: policy,
  except: policy,
  rules: jobRules,
  variables: jobVariables,
  inherit: inherit(DEFAULT_KEYS),
} as const satisfies Record<string, Entry>

/** The further keywords of jobs with a script, in the order in which they are checked. */
const SCRIPT_JOB = {
  before_script: script,
  script,
  after_script: script,
  hooks,
  cache,
  image,
  services,
  interruptible,
  timeout,
  retry,
  tags,
  artifacts,
  needs: needs(['job', 'cross_pipeline', 'cross_project']),
  coverage,
  release,
  parallel,
  environment,
  id_tokens: idTokens,
  secrets,
  allow_failure: allowFailure,
} as const satisfies Record<string, Entry>

const SHARED_KEYS = [
  'extends',
  'rules',
  'when',
  'allow_failure',
  'resource_group',
  'start_in',
  'dependencies',
]
const JOB_KEYS = new Set([
  ...Object.keys(PROCESSABLE),
  ...Object.keys(SCRIPT_JOB),
  ...SHARED_KEYS,
  'pages',
  'publish',
])
const BRIDGE_KEYS = new Set([
  ...Object.keys(PROCESSABLE),
  'trigger',
  'extends',
  'allow_failure',
  'when',
  'needs',
  'resource_group',
  'parallel',
])

const WHEN = ['on_success', 'on_failure', 'always', 'manual']
const allowFailureRule: Rule = (value) =>
  typeof value !== 'boolean' && !isHash(value) && 'should be a hash or a boolean value'
const rulesRule: Rule = (value) =>
  !isNested(value, isHash) && 'should be an array containing hashes and arrays of hashes'

/** Checks a job or a trigger job (`kindOf`). */
export function job(node: Node, name: string, isBridge: boolean): void {
  if (isBlank(node.value)) return node.configError("can't be blank")
  if (name.length > 255) node.attributeError('name', 'is too long (maximum is 255 characters)')
  if (node.get('rules') !== null) {
    const keywords = ['only', 'except', 'start_in'].filter((key) => node.get(key) !== null)
    if (keywords.length > 0) node.configError(`key may not be used with \`rules\`: ${keywords.join(', ')}`)
  }
  attributes(node, { extends: textOrTexts, rules: rulesRule, resource_group: text })
  if (isBridge) bridge(node)
  else scriptJob(node)
}

function scriptJob(node: Node): void {
  allowedKeys(node, JOB_KEYS)
  if (isBlank(node.get('script'))) node.attributeError('script', "can't be blank")
  attributes(node, {
    when: oneOf(...WHEN, 'delayed'),
    dependencies: texts,
    allow_failure: allowFailureRule,
  })
  const start = node.get('start_in')
  if (node.get('when') === 'delayed') {
    const message = maxDuration(WEEK)(start)
    if (message) node.attributeError('start_in', message)
  } else if (start !== null && node.get('rules') === null) node.attributeError('start_in', 'must be blank')
  visit(node, { ...PROCESSABLE, ...SCRIPT_JOB })
  if (node.isValid) checkDependencies(node)
}

function bridge(node: Node): void {
  allowedKeys(node, BRIDGE_KEYS)
  attributes(node, { when: oneOf(...WHEN), allow_failure: allowFailureRule })
  const bridges = itemsOf(node.get('needs')).filter((item) => needKind(item) === 'bridge')
  if (node.get('trigger') === null && bridges.length === 0) {
    node.configError('should contain either a trigger or a needs:pipeline')
  }
  if (bridges.length > 1) node.configError('should contain at most one bridge need')
  visit(node, { trigger, needs: needs(['job', 'bridge']), ...PROCESSABLE, parallel })
}

/** Reports dependencies on jobs that are not among the needs. */
function checkDependencies(node: Node): void {
  const [dependencies, value] = [node.get('dependencies'), node.get('needs')]
  if (!isTexts(dependencies) || value === null) return
  const needed = itemsOf(value).flatMap((item) => (isHash(item) ? [item.get('job')] : [item]))
  const missing = dependencies.filter((name) => !needed.includes(name))
  if (missing.length > 0)
    node.attributeError('dependencies', `the ${missing.join(', ')} should be part of needs`)
}

function itemsOf(value: Value): readonly Value[] {
  if (value === null) return []
  return isList(value) ? value.flatMap((item) => (isList(item) ? item : [item])) : [value]
}

/** The kind of a top-level key: hidden, a job, a trigger job, or none of these (spec ci 4.4). */
export function kindOf(name: string, value: Value): 'hidden' | 'job' | 'bridge' | undefined {
  if (name.startsWith('.')) return 'hidden'
  if (!isHash(value)) return undefined
  if (value.has('script')) return 'job'
  return value.has('trigger') || value.has('needs') ? 'bridge' : undefined
}
