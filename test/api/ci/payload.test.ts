import { describe, expect, it } from 'vitest'

import {
  depthOf,
  gitInfoOf,
  refspecsOf,
  hooksOf,
  jobInfoOf,
  releaseLines,
  stepsOf,
} from '../../../server/domains/ci/runner_protocol/payload/payload.ts'
import {
  imageOf,
  servicesOf,
  cacheEntries,
  keyFilesOf,
  artifactUploads,
} from '../../../server/domains/ci/runner_protocol/payload/parts.ts'
import { hasFeatures, requiredFeatures } from '../../../server/domains/ci/runner_protocol/take.ts'
import { failureReason } from '../../../server/domains/ci/runner_protocol/routes.ts'
import { runnerInfo } from '../../../server/domains/ci/runner_protocol/routes.ts'

const scripts = { before_script: ['a'], script: ['b', 'c'], after_script: [] as string[], release: null }

describe('steps of a job', () => {
  it('puts before_script and script into one step, and after_script into one of its own', () => {
    expect(stepsOf({ ...scripts, after_script: ['d'] }, 90)).toEqual([
      { name: 'script', script: ['a', 'b', 'c'], timeout: 90, when: 'on_success', allow_failure: false },
      { name: 'after_script', script: ['d'], timeout: 90, when: 'always', allow_failure: true },
    ])
    expect(stepsOf(scripts, 90).map((step) => step.name)).toEqual(['script'])
  })

  it('creates a release with one command', () => {
    const release = { tag_name: 'v$CI_JOB_ID', description: 'the "first"', milestones: ['m1', 'm2'] }
    const steps = stepsOf({ ...scripts, release }, 90)
    expect(steps.map((step) => step.name)).toEqual(['script', 'release'])
    expect(steps[1]!.script).toEqual([
      String.raw`release-cli create --description "the \"first\"" --tag-name "v$CI_JOB_ID" --milestone "m1" --milestone "m2"`,
    ])
    expect(releaseLines({ tag_name: 'v1', assets: { links: [{ name: 'a', url: 'http://h/a' }] } })).toEqual([
      String.raw`release-cli create --tag-name "v1" --assets-link "{\"name\":\"a\",\"url\":\"http://h/a\"}"`,
    ])
    expect(releaseLines({ tag_name: 'v1', description: 'a `b` \\' })).toEqual([
      'release-cli create --description "a \\`b\\` \\\\" --tag-name "v1"',
    ])
  })
})

describe('image and services', () => {
  it('contain the keys that runners know, in the types that they decode', () => {
    expect(imageOf({ name: 'node:24' })).toEqual({ name: 'node:24', ports: [] })
    expect(
      imageOf({
        name: 'a',
        entrypoint: ['sh', '-c'],
        pull_policy: ['always'],
        docker: { platform: 'linux/arm64', user: 1000, odd: true },
        kubernetes: { odd: 1 },
      }),
    ).toEqual({
      name: 'a',
      entrypoint: ['sh', '-c'],
      ports: [],
      pull_policy: ['always'],
      executor_opts: { docker: { platform: 'linux/arm64', user: '1000' } },
    })
    expect(imageOf(null)).toBeNull()
  })

  it('give services their alias, command and variables', () => {
    const [plain, full] = servicesOf([
      { name: 'redis' },
      { name: 'postgres:16', alias: 'db', command: 'run', variables: { PORT: 5432, NAME: { value: 'x' } } },
    ])
    expect(plain).toEqual({ name: 'redis', ports: [], alias: null, variables: [] })
    expect(full).toMatchObject({ name: 'postgres:16', alias: 'db', command: ['run'] })
    expect(full!.variables).toEqual([
      { key: 'PORT', value: '5432' },
      { key: 'NAME', value: 'x' },
    ])
  })
})

describe('artifacts', () => {
  it('request the archive, and each report in its format', () => {
    const orders = artifactUploads({
      name: 'out',
      paths: ['a/', 'b'],
      exclude: ['a/x'],
      expire_in: '1 week',
      when: 'always',
      reports: {
        junit: 'j.xml',
        dotenv: ['x.env'],
        coverage_report: { coverage_format: 'cobertura', path: 'c.xml' },
        sast: ['s.json'],
      },
    })
    expect(orders).toEqual([
      {
        name: 'out',
        untracked: false,
        paths: ['a/', 'b'],
        exclude: ['a/x'],
        when: 'always',
        expire_in: '1 week',
        artifact_type: 'archive',
        artifact_format: 'zip',
      },
      report('junit', 'gzip', 'junit.xml', 'j.xml'),
      report('dotenv', 'gzip', '.env', 'x.env'),
      report('cobertura', 'gzip', 'cobertura-coverage.xml', 'c.xml'),
      report('sast', 'raw', 'gl-sast-report.json', 's.json'),
    ])
  })

  function report(artifact_type: string, artifact_format: string, name: string, path: string) {
    return { name, paths: [path], when: 'always', expire_in: '1 week', artifact_type, artifact_format }
  }

  it('are empty without artifacts', () => {
    expect(artifactUploads(null)).toBeNull()
    expect(artifactUploads({ paths: [] })).toBeNull()
    expect(artifactUploads({ untracked: true })).toMatchObject([{ untracked: true, paths: null, name: null }])
    expect(artifactUploads({ reports: { unheard_of: 'x' } })).toBeNull()
  })
})

describe('caches', () => {
  const context = {
    isSeparated: true,
    isProtected: false,
    blobs: new Map<string, string | null>([
      ['a.lock', 'aaa'],
      ['b.lock', null],
    ]),
    expand: (text: string) => text.replace('$POLICY', 'pull'),
  }

  it('are separate for protected and unprotected refs', () => {
    const cache = [{ key: 'k', paths: ['x/'], policy: 'pull', when: 'always', fallback_keys: ['old'] }]
    expect(cacheEntries(cache, context)).toEqual([
      {
        key: 'k-non_protected',
        untracked: false,
        policy: 'pull',
        paths: ['x/'],
        when: 'always',
        fallback_keys: ['old-non_protected'],
      },
    ])
    const keyOf = (more: object, entry: object = {}) =>
      cacheEntries([{ key: 'k', ...entry }], { ...context, ...more })![0]!.key
    expect(keyOf({ isProtected: true })).toBe('k-protected')
    expect(keyOf({ isProtected: true }, { unprotect: true })).toBe('k-non_protected')
    expect(keyOf({ isSeparated: false })).toBe('k')
    expect(keyOf({ isSeparated: false }, { key: 7 })).toBe('7')
    expect(keyOf({ isSeparated: false }, { key: '' })).toBe('default')
  })

  it('have keys from files of the commit', () => {
    const open = { ...context, isSeparated: false }
    const of = (...files: string[]) => ({ key: { files, prefix: '$CI_JOB_NAME' } })
    const [cacheEntry] = cacheEntries([of('a.lock')], open)!
    expect(cacheEntry!.key).toMatch(/^\$CI_JOB_NAME-[0-9a-f]{40}$/)
    expect(cacheEntries([of('b.lock', 'a.lock')], open)![0]!.key).toBe(cacheEntry!.key)
    expect(cacheEntries([of('b.lock')], open)![0]!.key).toBe('$CI_JOB_NAME-default')
    expect(cacheEntries([of('b.lock'), { key: 'x' }], open)!.map(({ key }) => key)).toEqual([
      '0_$CI_JOB_NAME-default',
      'x',
    ])
    expect(keyFilesOf([of('a.lock', 'b.lock'), of('a.lock'), { key: 'x' }, {}])).toEqual(['a.lock', 'b.lock'])
  })

  it('expand variables in the policy, with pull-push for unknown values', () => {
    const policyOf = (policy: string) => cacheEntries([{ policy }], context)![0]!.policy
    expect(policyOf('$POLICY')).toBe('pull')
    expect(policyOf('$OTHER')).toBe('pull-push')
    expect(cacheEntries([], context)).toBeNull()
  })
})

describe('code', () => {
  const pipeline = { id: 7, ref: 'main', tag: false, merge_request_id: null }

  it('fetches the ref of the pipeline, and its branch or tag', () => {
    const own = '+refs/pipelines/7:refs/pipelines/7'
    expect(refspecsOf(pipeline, 20)).toEqual([own, '+refs/heads/main:refs/remotes/origin/main'])
    expect(refspecsOf({ ...pipeline, ref: 'v1', tag: true }, 20)).toEqual([own, '+refs/tags/v1:refs/tags/v1'])
    expect(refspecsOf({ ...pipeline, ref: 'refs/merge-requests/1/head' }, 20)).toEqual([own])
    expect(refspecsOf(pipeline, 0)).toEqual([
      own,
      '+refs/heads/*:refs/remotes/origin/*',
      '+refs/tags/*:refs/tags/*',
    ])
  })

  it('prefers the depth from the variable over that of the project', () => {
    const depth = (value: string) => [{ key: 'GIT_DEPTH', value }]
    expect(depthOf([], 20)).toBe(20)
    expect(depthOf([], null)).toBe(0)
    expect(depthOf(depth('3'), 20)).toBe(3)
    expect(depthOf(depth('0'), 20)).toBe(0)
    expect(depthOf(depth('many'), 20)).toBe(0)
    expect(depthOf(depth(''), 20)).toBe(20)
  })

  it('signs in with the token of the job', () => {
    const rows = {
      pipeline: { ...pipeline, sha: 'f'.repeat(40), before_sha: '0'.repeat(40) },
      job: { ref: 'main', tag: false, protected: true },
    } as never as Parameters<typeof gitInfoOf>[0]
    expect(
      gitInfoOf(rows, { url: 'http://h:7080/base', path: 'a/b', token: 'glcbt-x', depth: 20 }),
    ).toMatchObject({
      repo_url: 'http://gitlab-ci-token:glcbt-x@h:7080/base/a/b.git',
      ref: 'main',
      sha: 'f'.repeat(40),
      before_sha: '0'.repeat(40),
      ref_type: 'branch',
      protected: true,
      depth: 20,
    })
  })
})

describe('the rest of a job', () => {
  it('has the time in the queue and the number of running jobs as text', () => {
    const job = {
      id: 1,
      pipeline_id: 2,
      user_id: 3,
      name: 'build',
      stage: 'test',
      queued_at: '2026-01-01T00:00:00.000Z',
      started_at: '2026-01-01T00:00:02.500Z',
    } as never as Parameters<typeof jobInfoOf>[0]
    const owner = { id: 4, name: 'P', namespace_id: 5 } as never as Parameters<typeof jobInfoOf>[1]
    const info = (running: number | null) => jobInfoOf(job, owner, { path: 'g/p', running })
    expect(info(0)).toMatchObject({ time_in_queue_seconds: 2.5, project_full_path: 'g/p', pipeline_id: 2 })
    const counted = [0, 1000, null].map((n) => info(n).project_jobs_running_on_instance_runners_count)
    expect(counted).toEqual(['0', '1000+', '+Inf'])
  })

  it('includes hooks', () => {
    expect(hooksOf({ pre_get_sources_script: ['a', 'b'], empty: [] })).toEqual([
      { name: 'pre_get_sources_script', script: ['a', 'b'] },
    ])
    expect(hooksOf(null)).toEqual([])
  })

  it('requires features of the runner', () => {
    const needs = (more: object, ref = 'main') =>
      requiredFeatures({ ref }, {
        artifacts: null,
        release: null,
        allowed_exit_codes: null,
        ...more,
      } as never)
    expect(needs({})).toEqual([])
    expect(needs({ artifacts: { reports: {}, exclude: [] } })).toEqual([
      'upload_multiple_artifacts',
      'artifacts_exclude',
    ])
    expect(needs({ release: {}, allowed_exit_codes: [1] }, 'refs/merge-requests/1/head')).toEqual([
      'refspecs',
      'multi_build_steps',
      'return_exit_code',
    ])
    expect(hasFeatures({ refspecs: true }, ['refspecs'])).toBe(true)
    expect(hasFeatures({ refspecs: false }, ['refspecs'])).toBe(false)
  })

  it('stores only known failure reasons', () => {
    expect(failureReason('job_execution_timeout')).toBe('job_execution_timeout')
    expect(failureReason('image_pull_failure')).toBe('unknown_failure')
    expect(failureReason('')).toBe('script_failure')
  })

  it('accepts the usable part of the runner information', () => {
    const info = runnerInfo().parse({
      name: 'gitlab-runner',
      version: 'x'.repeat(300),
      platform: 5,
      features: { refspecs: true, odd: 'yes' },
      config: { gpus: 'all' },
      labels: {},
    })
    expect(info).toEqual({
      name: 'gitlab-runner',
      version: 'x'.repeat(255),
      features: { refspecs: true, odd: false },
      config: { gpus: 'all' },
    })
    expect(runnerInfo().parse({})).toEqual({ features: {}, config: {} })
    expect(runnerInfo().safeParse('x').success).toBe(false)
  })
})
