import type { Case } from './case.ts'

const NO_JOB = 'jobs config should contain at least one visible job'
const t = '\ntest: {script: x}'

/** Keywords at the top (spec ci 4.2, 4.8). */
export const root: readonly Case[] = [
  ['.hidden: {script: x}', [NO_JOB]],
  ['stages: [a]', [NO_JOB]],
  ['a: 1', ['jobs a config should implement a script: or a trigger: keyword', NO_JOB]],
  [`My_Job: {stage: test}${t}`, ['jobs my_job config should implement a script: or a trigger: keyword']],
  [`types: [a]${t}`, ['jobs types config should implement a script: or a trigger: keyword']],
  // Jobs are not checked while the list of jobs is invalid.
  [
    'a: 1\nb: {script: 5}\nc: text',
    [
      'jobs a config should implement a script: or a trigger: keyword',
      'jobs c config should implement a script: or a trigger: keyword',
    ],
  ],
  ['10: {script: x}', ['jobs:10 name should be a symbol']],
  ['on: {script: x}', ['jobs:true name should be a symbol']],
  ['"": {script: x}', ["jobs:job name can't be blank"]],
  [
    `? ${'n'.repeat(256)}\n: {script: x}`,
    [`jobs:${'n'.repeat(256)} name is too long (maximum is 255 characters)`],
  ],
  [`stages: text${t}`, ['stages config should be an array of strings']],
  [`stages: [1]${t}`, ['stages config should be an array of strings']],
  [`stages: [test, test]${t}`],
  [`image: [a]${t}`, ['image config should be a hash or a string']],
  [`image: {entrypoint: [a]}${t}`, ["image name can't be blank"]],
  [`image: {name: a, foo: 1, bar: 2}${t}`, ['image config contains unknown keys: foo, bar']],
  [`image: {name: a, entrypoint: x}${t}`, ['image entrypoint should be an array of strings']],
  [`services: text${t}`, ['services config should be an array']],
  [`services: [{alias: x}]${t}`, ["services:service name can't be blank"]],
  [`services: [5]${t}`, ['services:service config should be a hash or a string']],
  [`services: [{name: a, command: x}]${t}`, ['services:service command should be an array of strings']],
  [`services: [a, {name: b, alias: c, command: [d], variables: {A: b}}]${t}`],
  [
    `before_script: 5${t}`,
    ['before_script config should be a string or a nested array of strings up to 10 levels deep'],
  ],
  [`before_script: [a, [b, [c]]]${t}`],
  [`variables: [a]${t}`, ['variables config should be a hash of key value pairs, value can be a hash']],
  [`variables: {A: [1]}${t}`, ['variable definition must be either a string or a hash']],
  [`variables: {A: {value: x, foo: 1}}${t}`, ['variables:a config uses invalid data keys: foo']],
  [
    `variables: {A: {value: x, options: [y, z]}}${t}`,
    ['variables:a config value must be present in options'],
  ],
  [`variables: {A: {options: [y, z]}}${t}`, ['variables:a config value must be present in options']],
  [`variables: {A: {value: y, options: [y, z], description: d, expand: false}}${t}`],
  [`variables: {A: 1, B: 1.50, C: yes, D: text}${t}`],
  [`default: {foo: 1}${t}`, ['default config contains unknown keys: foo']],
  [`default: text${t}`, ['default config should be a hash']],
  [`default: {image: a, retry: 1, timeout: 1h, tags: [a], interruptible: true}${t}`],
  [`default: {image: a}\nimage: b${t}`, ['image is defined in top-level and `default:` entry']],
  [
    `default: {cache: {paths: [a]}}\ncache: {paths: [b]}${t}`,
    ['cache is defined in top-level and `default:` entry'],
  ],
  [`default: {interruptible: 5}${t}`, ['default:interruptible config should be a boolean value']],
  [`cache: {foo: 1}${t}`, ['cache config contains unknown keys: foo']],
  [`workflow: text${t}`, ['workflow config should be a hash']],
  [`workflow: {foo: 1}${t}`, ['workflow config contains unknown keys: foo']],
  [`workflow: {rules: text}${t}`, ['workflow:rules config should be an array']],
  [`workflow: {rules: [{when: manual}]}${t}`, ['workflow:rules:rule when unknown value: manual']],
  [`workflow: {rules: [{if: "$A ==="}]}${t}`, ['workflow:rules:rule if invalid expression syntax']],
  [
    `workflow: {rules: [{allow_failure: true}]}${t}`,
    ['workflow:rules:rule config contains unknown keys: allow_failure'],
  ],
  [`workflow: {name: ${'n'.repeat(256)}}${t}`, ['workflow name is too long (maximum is 255 characters)']],
  [
    `workflow: {name: "for $CI_COMMIT_BRANCH", rules: [{if: $CI_COMMIT_TAG, when: never}, {when: always}]}${t}`,
  ],
  [
    'test: {script: x, rules: [{if: $A}, {when: on_success}]}',
    [],
    [
      `jobs:test may allow multiple pipelines to run for a single action due to \`rules:when\` clause with no \`workflow:rules\``,
    ],
  ],
  ['test: {script: x, rules: [{if: $A}, {when: never}]}'],
  ['workflow: {rules: [{when: always}]}\ntest: {script: x, rules: [{when: on_success}]}'],
]
