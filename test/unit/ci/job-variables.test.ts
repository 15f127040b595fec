import { describe, expect, it } from 'vitest'

import { expandItems, expandWith, lastOfEachName } from '../../../server/domains/ci/job_variables/item.ts'
import { withoutFraction, type VariableItem } from '../../../server/domains/ci/job_variables/item.ts'
import { deprecatedItems } from '../../../server/domains/ci/job_variables/item.ts'
import { jobItems, repositoryUrl } from '../../../server/domains/ci/job_variables/of-job.ts'
import {
  mergeRequestItems,
  runnerItems,
  serverItems,
} from '../../../server/domains/ci/job_variables/predefined.ts'
import { CI_MARKER, JOB_TOKEN_LOGIN } from '../../../server/lib/aliases.ts'
import type { Config } from '../../../server/config.ts'
import type { Project } from '../../../server/domains/projects/index.ts'

const valuesOf = (items: readonly VariableItem[]) =>
  Object.fromEntries(items.map(({ key, value }) => [key, value]))
const itemsOf = (values: Record<string, string>): VariableItem[] =>
  Object.entries(values).map(([key, value]) => ({ key, value }))

describe('variables of a job that contain each other', () => {
  it.each([
    ['plain, braced, percent', '$A-${A}-%A%', 'a-a-a'],
    ['of one that refers to another', '$B', 'a/b'],
    ['unknown names stay', '$NO ${NO} %NO%', '$NO ${NO} %NO%'],
    ['two dollars are one that means nothing', '$$A', '$$A'],
    ['two percents as well', '%%A%%', '%%A%%'],
    ['the longest name counts', '$AB', '$AB'],
    ['a name next to letters', '${A}B', 'aB'],
    ['a lone dollar', 'a $ b $', 'a $ b $'],
    ['itself', '$IT:/more', '$IT:/more'],
    ['raw ones stay a name', '$RAW', '$RAW'],
    ['files stay a name', '$FILE', '$FILE'],
    ['nothing', '', ''],
  ])('%s', (_what, value, expected) => {
    const around = [
      ...itemsOf({ B: '$A/b', A: 'a' }),
      { key: 'RAW', value: '$A', isRaw: true },
      { key: 'FILE', value: '$A', isFile: true },
    ]
    expect(valuesOf(expandItems([{ key: 'IT', value }, ...around]))['IT']).toBe(expected)
  })

  it('are not expanded in raw variables and files', () => {
    const items: VariableItem[] = [
      { key: 'RAW', value: '$A $$', isRaw: true },
      { key: 'FILE', value: '{"a":"$A"}', isFile: true },
      { key: 'A', value: 'a' },
    ]
    expect(valuesOf(expandItems(items))).toEqual({ RAW: '$A $$', FILE: '{"a":"$A"}', A: 'a' })
  })

  it('are not expanded in a cycle', () => {
    const ring = { A: '$B', B: '$C', C: '$A', D: '$A' }
    expect(valuesOf(expandItems(itemsOf(ring)))).toEqual(ring)
  })

  it('stay small if each doubles the previous one', () => {
    const bombs = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `V${index}`,
        index === 0 ? 'xx' : `$V${index - 1}$V${index - 1}`,
      ]),
    )
    const total = expandItems(itemsOf(bombs)).reduce((sum, { value }) => sum + value.length, 0)
    expect(total).toBeLessThan(16 * 1024 * 1024)
  })

  it('are overridden by the last one of the same name, with its flags', () => {
    const items: VariableItem[] = [
      { key: 'A', value: '1', isPublic: true },
      { key: 'B', value: '2' },
      { key: 'A', value: '3', isMasked: true },
    ]
    expect(lastOfEachName(items)).toEqual([
      { key: 'A', value: '3', isMasked: true },
      { key: 'B', value: '2' },
    ])
  })
})

describe('a text with variables', () => {
  const variables = [
    { key: 'CI_COMMIT_REF_SLUG', value: 'my-branch' },
    { key: 'TWICE', value: '$CI_COMMIT_REF_SLUG' },
  ]
  it.each([
    ['review/$CI_COMMIT_REF_SLUG', 'review/my-branch'],
    ['review/${CI_COMMIT_REF_SLUG}x', 'review/my-branchx'],
    ['%CI_COMMIT_REF_SLUG%', 'my-branch'],
    ['$NONE/a', '/a'],
    ['$$A', '$$A'],
    ['$TWICE', '$CI_COMMIT_REF_SLUG'],
    ['production', 'production'],
  ])('%s becomes %s', (text, expected) => {
    expect(expandWith(text, variables)).toBe(expected)
  })
})

describe('the variables of the instance', () => {
  const config = { url: 'https://forge.test:8443', version: '15.11.2-own', revision: 'abc', sshPort: 2222 }
  const of = (changes: Partial<Config> = {}) =>
    valuesOf(serverItems({ config: { ...config, ...changes } as Config }))

  it('contain the parts of its address', () => {
    expect(of()).toMatchObject({
      CI: 'true',
      [CI_MARKER]: 'true',
      CI_SERVER_URL: 'https://forge.test:8443',
      CI_SERVER_HOST: 'forge.test',
      CI_SERVER_PORT: '8443',
      CI_SERVER_PROTOCOL: 'https',
      CI_SERVER_FQDN: 'forge.test:8443',
      CI_SERVER_SHELL_SSH_HOST: 'forge.test',
      CI_SERVER_SHELL_SSH_PORT: '2222',
      CI_API_V4_URL: 'https://forge.test:8443/api/v4',
    })
  })

  it.each([
    ['https://forge.test', '443', 'forge.test'],
    ['http://forge.test', '80', 'forge.test'],
    ['http://127.0.0.1:7070', '7070', '127.0.0.1'],
    ['http://[::1]:7070', '7070', '[::1]'],
  ])('has the port of %s', (url, port, host) => {
    expect(of({ url })).toMatchObject({ CI_SERVER_PORT: port, CI_SERVER_HOST: host })
  })

  it('contain the parts of its version, and no port that it does not listen on', () => {
    const own = of({ sshPort: undefined })
    expect(own).toMatchObject({
      CI_SERVER_VERSION: '15.11.2-own',
      CI_SERVER_VERSION_MAJOR: '15',
      CI_SERVER_VERSION_MINOR: '11',
      CI_SERVER_VERSION_PATCH: '2',
      CI_SERVER_REVISION: 'abc',
    })
    expect(own).not.toHaveProperty('CI_SERVER_SHELL_SSH_PORT')
  })
})

describe('the variables of a job', () => {
  it('contain its name, stage and number among its copies', () => {
    const parallel = { index: 2, total: 5, matrix: [] }
    const job = { name: 'Build: x/y', stage: 'build', when: 'manual' }
    expect(valuesOf(jobItems(job, { parallel, image: { name: 'alpine:$V' } }))).toEqual({
      CI_JOB_NAME: 'Build: x/y',
      CI_JOB_NAME_SLUG: 'build--x-y',
      CI_JOB_STAGE: 'build',
      CI_JOB_MANUAL: 'true',
      CI_JOB_IMAGE: 'alpine:$V',
      CI_NODE_INDEX: '2',
      CI_NODE_TOTAL: '5',
    })
  })

  it('count one node without copies, and mark manual jobs only', () => {
    expect(
      valuesOf(jobItems({ name: 'a', stage: 's', when: 'on_success' }, { parallel: null, image: null })),
    ).toEqual({
      CI_JOB_NAME: 'a',
      CI_JOB_NAME_SLUG: 'a',
      CI_JOB_STAGE: 's',
      CI_NODE_TOTAL: '1',
    })
  })

  it('contain an address that clones its code', () => {
    const project = { namespace_full_path: 'group/sub', path: 'p' } as Project
    const ctx = { config: { url: 'http://forge.test:7070' } as Config }
    expect(repositoryUrl(ctx, project, 'glcbt-1')).toBe(
      `http://${JOB_TOKEN_LOGIN}:glcbt-1@forge.test:7070/group/sub/p.git`,
    )
  })

  it('have their old names, masked like the new ones', () => {
    const items: VariableItem[] = [
      { key: 'CI_COMMIT_SHA', value: 'f00', isPublic: true },
      { key: 'CI_JOB_TOKEN', value: 'secret', isMasked: true },
    ]
    expect(deprecatedItems(items)).toEqual([
      { key: 'CI_BUILD_REF', value: 'f00', isPublic: true },
      { key: 'CI_BUILD_TOKEN', value: 'secret', isMasked: true },
    ])
  })

  it('contain the tags of the runner in one line', () => {
    const runner = { id: 3, description: null, tag_list: ['docker', 'a b'] }
    expect(valuesOf(runnerItems(runner))).toEqual({
      CI_RUNNER_ID: '3',
      CI_RUNNER_DESCRIPTION: '',
      CI_RUNNER_TAGS: 'docker, a b',
    })
  })

  it('contain texts of a merge request unexpanded', () => {
    const predefined = [
      { key: 'CI_MERGE_REQUEST_IID', value: '1' },
      { key: 'CI_MERGE_REQUEST_TITLE', value: '$CI_JOB_TOKEN' },
    ]
    const items = mergeRequestItems({ merge_request: { predefined } } as never)
    expect(items.map(({ isRaw }) => isRaw === true)).toEqual([false, true])
  })

  it('contain times without fractions of a second', () => {
    expect(withoutFraction('2026-11-22T05:00:01.123Z')).toBe('2026-11-22T05:00:01Z')
  })
})
