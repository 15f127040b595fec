import { expect, test } from 'vitest'
import {
  addressOf,
  formOf,
  problemsOf,
  pullInput,
  pushInput,
} from '../../renderer/views/mirrors/mirror-form.ts'
import { fromPull, fromPush, nameOf, stateOf, whichWords } from '../../renderer/views/mirrors/mirror.ts'

const push = fromPush({
  id: 3,
  enabled: true,
  url: 'https://*****:*****@code.example.test/team/app.git',
  update_status: 'none',
  last_update_at: null,
  last_update_started_at: null,
  last_successful_update_at: null,
  last_error: null,
  only_protected_branches: false,
  keep_divergent_refs: false,
  auth_method: 'password',
  mirror_branch_regex: '^v',
})
const pull = fromPull({
  id: 7,
  last_error: null,
  last_successful_update_at: null,
  last_update_at: '2026-11-22T10:00:00.000Z',
  last_update_started_at: null,
  update_status: 'finished',
  url: 'https://code.example.test/team/app.git',
  enabled: true,
  mirror_trigger_builds: true,
  only_mirror_protected_branches: true,
  mirror_overwrites_diverged_branches: false,
  mirror_branch_regex: null,
  next_update_at: null,
  diverged_branches: [],
})

test('a mirror has a name without credentials, a status and a description of its branches', () => {
  expect([nameOf(push), whichWords(push), whichWords(pull)]).toEqual([
    'code.example.test/team/app',
    'branches matching ^v',
    'protected branches',
  ])
  const words = ['started', 'scheduled', 'failed', 'to_retry', 'none'].map(
    (status) => stateOf({ ...push, status }).word,
  )
  expect(words).toEqual(['Updating', 'Waiting', 'Failed', 'Retrying', 'Not updated yet'])
  expect(stateOf({ ...push, enabled: false }).word).toBe('Off')
  expect([stateOf(pull).word, stateOf({ ...pull, diverged: ['x'] }).word]).toEqual(['Up to date', 'Diverged'])
})

test('credentials are encoded in the URL', () => {
  const form = { ...formOf(push), auth: 'password' as const, user: 'me', password: 'p@ss:w/rd#?' }
  const sent = new URL(addressOf(form))
  expect([sent.host, sent.pathname, decodeURIComponent(sent.password)]).toEqual([
    'code.example.test',
    '/team/app.git',
    'p@ss:w/rd#?',
  ])
  expect(addressOf(formOf(push))).toBe('https://*****:*****@code.example.test/team/app.git')
  expect(addressOf({ ...formOf(push), auth: 'none' })).toBe('https://code.example.test/team/app.git')
  expect(addressOf({ ...formOf(push), auth: 'ssh', url: 'ssh://git@h/x.git' })).toBe('ssh://git@h/x.git')
})

test('only one of the two parameters for branches is sent', () => {
  expect(pushInput(formOf(push))).toMatchObject({ mirror_branch_regex: '^v' })
  expect(pushInput(formOf(push))).not.toHaveProperty('only_protected_branches')
  expect(pushInput({ ...formOf(push), which: 'all' })).toMatchObject({ only_protected_branches: false })
  expect(pushInput({ ...formOf(push), which: 'all' }, push)).toMatchObject({ mirror_branch_regex: null })
  expect(pushInput(formOf(push), push)).not.toHaveProperty('enabled')
  expect(pushInput({ ...formOf(push), enabled: false }, push)).toMatchObject({ enabled: false })
  expect(pullInput({ ...formOf(pull), auth: 'kept' })).toEqual({
    enabled: true,
    url: 'https://code.example.test/team/app.git',
    only_mirror_protected_branches: true,
    mirror_overwrites_diverged_branches: false,
    mirror_trigger_builds: true,
  })
  const named = { ...formOf(pull), which: 'pattern' as const, pattern: '^v' }
  expect(pullInput(named)).toMatchObject({ mirror_branch_regex: '^v' })
  expect(pullInput(named)).not.toHaveProperty('only_mirror_protected_branches')
})

test('errors are assigned to their fields', () => {
  expect(problemsOf({ url: ['is blocked'] }, 'Url is blocked')).toEqual({
    url: ['is blocked'],
    pattern: null,
    rest: null,
  })
  expect(problemsOf({}, 'x is not a valid URL').url).toHaveLength(1)
  expect(problemsOf({}, '403 Forbidden').rest).toBe('403 Forbidden')
})
