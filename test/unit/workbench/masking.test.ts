import { expect, it } from 'vitest'

import { isSecretName } from '../../../server/domains/workbench/inspector/masking/names.ts'
import { isSuspicious, maskTarget } from '../../../server/domains/workbench/inspector/masking/target.ts'
import { EndpointCache } from '../../../server/domains/workbench/inspector/recording/endpoints.ts'
import { maskTree } from '../../../server/domains/workbench/inspector/masking/tree.ts'

it.each([
  'token',
  'private_token',
  'password',
  'runners_token',
  'client_secret',
  'otp_attempt',
  'akismet_api_key',
])('masking treats %s as a secret', (name) => expect(isSecretName(name)).toBe(true))

it.each([
  'token_expires_at',
  'key',
  'name',
  'password_authentication_enabled',
  'token_type',
  'job_token_scope_enabled',
])('masking does not treat %s as a secret', (name) => expect(isSecretName(name)).toBe(false))

it('masking replaces values of variables, nested secrets, tokens in texts and known texts', () => {
  const body = {
    name: 'x',
    variables: [{ key: 'A', value: 'one' }],
    config: { password: 'two', deep: [{ token: 'three' }] },
    text: 'see glpat-abcdefghijkl and https://me:four@example.test/x',
    echo: 'it was known-secret',
    on: { token: null, secret_enabled: true },
  }
  expect(maskTree(body, ['known-secret'])).toEqual({
    name: 'x',
    variables: [{ key: 'A', value: '[masked]' }],
    config: { password: '[masked]', deep: [{ token: '[masked]' }] },
    text: 'see [masked] and https://[masked]@example.test/x',
    echo: 'it was [masked]',
    on: { token: null, secret_enabled: true },
  })
  expect(maskTree({ variables: { A: 'one' } })).toEqual({ variables: { A: '[masked]' } })
})

it('masking replaces secret parameters of an address and leaves the rest as it is', () => {
  expect(maskTarget('/a?private_token=x&b=1&variables[A]=y&c%5Btoken%5D=z')).toBe(
    '/a?private_token=[masked]&b=1&variables[A]=[masked]&c%5Btoken%5D=[masked]',
  )
  expect(maskTarget('/a/glpat-abcdefghijkl?x')).toBe('/a/[masked]?x')
  expect(maskTarget('/api/v4/issues?state=opened&nonce=n')).toBe('/api/v4/issues?state=opened&nonce=[masked]')
  expect(maskTarget('/oauth/authorize?state=s1&scope=api')).toBe('/oauth/authorize?state=[masked]&scope=api')
  expect(maskTarget('https://sign-in.test/start?state=s1')).toBe('https://sign-in.test/start?state=[masked]')
  expect(maskTarget('/a?%E0%A4%A=1')).toBe('/a?%E0%A4%A=1')
})

it('every target with something to mask is suspicious, and common ones are not', () => {
  const names = `private_token secret password passphrase credential private-key api_key apikey privatekey cookie authorization
    deploy_key otp otp_attempt code code_verifier dsn sentry_dsn assertion unleash-instanceid import_url webhook hook_url
    remote_url proxy new_issue_url_token mirror_url nonce value variables[A]`
  const others =
    '/oauth?state=s /a/GR1348941abcdefgh /a?b=eyJabcdefgh.abcdefgh.x /a?b=https://c:d@e /a?%74oken=x'
  const named = names.split(/\s+/).flatMap((name) => [`/a?${name}=x`, `/a?b=1&${name.toUpperCase()}=x`])
  const targets = [...named, ...others.split(' '), '/a/glpat-abcdefghijkl']
  const missed = targets.filter((target) => maskTarget(target) === target || !isSuspicious(target))
  expect(missed).toEqual([])
  for (const target of ['/api/v4/projects/12', '/api/v4/projects?per_page=20&page=3', '/acme/web/issues'])
    expect([isSuspicious(target), maskTarget(target)]).toEqual([false, target])
})

it('masking replaces headers by name, and texts that look like a token in others', () => {
  const notes = new EndpointCache()
  const flat = [
    'PRIVATE-TOKEN',
    'x',
    'Accept',
    'y',
    'Cookie',
    'a=b',
    'X-Note',
    'glpat-abcdefghijkl',
    'Referer',
    '/a?token=b',
  ]
  expect(notes.headers(flat)).toEqual([
    'PRIVATE-TOKEN',
    '[masked]',
    'Accept',
    'y',
    'Cookie',
    '[masked]',
    'X-Note',
    '[masked]',
    'Referer',
    '/a?token=[masked]',
  ])
})
