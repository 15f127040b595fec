import type { Case } from './case.ts'

const two = (keys: string) => `build: {stage: build, script: x}\ntest: {script: x, ${keys}}`
const stops = (keys: string) =>
  `go: {script: x, environment: {name: a, on_stop: halt}}\nhalt: {script: x${keys}}`

/** Errors between jobs, of which only the first is reported (spec ci 4.13). */
export const logic: readonly Case[] = [
  [
    'Test: {script: x, stage: gone}',
    ['Test job: chosen stage gone does not exist; available stages are .pre, build, test, deploy, .post'],
  ],
  [
    'stages: [one]\nt: {script: x}',
    ['t job: chosen stage test does not exist; available stages are .pre, one, .post'],
  ],
  ['a: {script: x, stage: .pre}\nb: {script: x, stage: .post}\nc: {script: x}'],
  [two('dependencies: [gone]'), ['test job: undefined dependency: gone']],
  [
    two('stage: .pre, dependencies: [build]'),
    ['test job: dependency build is not defined in current or prior stages'],
  ],
  [two('dependencies: [build]')],
  [two('needs: [gone]'), ['test job: undefined need: gone']],
  [two('stage: .pre, needs: [build]'), ['test job: need build is not defined in current or prior stages']],
  [two('needs: [build, build]'), ['test has the following needs duplicated: build.']],
  [
    two(`needs: [${'n'.repeat(256)}]`),
    [`test job: need \`${'n'.repeat(256)}\` name is too long (maximum is 255 characters)`],
  ],
  [two('stage: build, needs: [build]')],
  [two('needs: [{job: gone, optional: true}]')],
  ['a: {script: x, needs: [b]}\nb: {script: x, needs: [a]}', ['The pipeline has circular dependencies']],
  ['a: {script: x, needs: [a]}', ['The pipeline has circular dependencies']],
  ['go: {script: x, environment: {name: a, on_stop: halt}}', ['go job: on_stop job halt is not defined']],
  [stops(''), ['go job: on_stop job halt does not have environment defined']],
  [
    stops(', environment: {name: b, action: stop}'),
    ['go job: on_stop job halt have different environment name'],
  ],
  [stops(', environment: a'), ['go job: on_stop job halt needs to have action stop defined']],
  [stops(', environment: {name: a, action: stop}')],
  ['a: {trigger: {include: [{artifact: c.yml, job: gone}]}}', ['a job: undefined dependency: gone']],
  // Only the first error is reported, and none while the structure is invalid.
  [
    'a: {script: x, stage: gone}\nb: {script: x, needs: [gone]}',
    ['a job: chosen stage gone does not exist; available stages are .pre, build, test, deploy, .post'],
  ],
  ['a: {script: x, stage: gone}\nb: {script: x, foo: 1}', ['jobs:b config contains unknown keys: foo']],
  ['a: {script: x, parallel: 2}\nb: {script: x, needs: [a]}\nc: {script: x, needs: ["a 1/2"]}'],
]
