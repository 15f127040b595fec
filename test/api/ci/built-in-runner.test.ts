import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'

const here = await world()
const root = here.as(here.root)
const SECRET = 'tide-tables-are-secret'
const project = await here.make.project()
const config = `
stages: [first, second]
variables: { GREETING: "hello $CI_PROJECT_NAME" }
build:
  stage: first
  before_script: ['echo "$GREETING from $CI_JOB_NAME"']
  script:
    - cd .
    - printf '%s' "$SECRET" | cut -c1-5 | tr -d '\\n'; printf '%s\\n' "$SECRET" | cut -c6-
    - cat "$NOTES"
    - mkdir -p out/deep kept && echo one > out/a.txt && echo two > out/deep/b.txt && ln -s a.txt out/link
    - |
      echo kept > kept/x
      chmod +x out/a.txt
    - git log --format=%s -1; git config remote.origin.url; env | sort
    - 'echo "<testsuite tests=\\"1\\"><testcase name=\\"t\\" classname=\\"c\\"/></testsuite>" > report.xml'
    - 'echo "EXPORTED=from build" > build.env'
  after_script: ['echo "after $CI_JOB_STATUS"', 'exit 9']
  cache: { key: 'k-$CI_COMMIT_REF_SLUG', paths: [kept/] }
  artifacts:
    name: 'built-$CI_JOB_NAME'
    paths: [out/, '*.none']
    exclude: ['out/deep/**']
    reports: { junit: report.xml, dotenv: build.env }
fails:
  stage: first
  script: ['echo before', '(sleep 1000 &) ; setsid sleep 1000 & echo left > left.txt', 'mkdir ro && touch ro/x && chmod 555 ro', 'false | cat', 'echo never']
  after_script: ['echo "after $CI_JOB_STATUS"']
  artifacts: { when: on_failure, untracked: true }
  allow_failure: true
slow:
  stage: first
  variables: { GIT_STRATEGY: none }
  script: ['echo $CI_JOB_ID > "$CI_BUILDS_DIR/../slow.txt"', 'ls -A | wc -l', 'trap "" TERM; sleep 1000 & wait']
  timeout: 1 second
  allow_failure: true
takes:
  stage: second
  needs: [build]
  script: ['test -x out/a.txt && cat out/link', 'test ! -e out/deep', 'echo "got $EXPORTED"', 'cat kept/x']
  cache: { key: 'k-$CI_COMMIT_REF_SLUG', paths: [kept/], policy: pull }
`
fill(here, project, [
  { branch: 'main', message: 'A first commit', files: { '.gitlab-ci.yml': config, 'a.txt': 'a\n' } },
])
for (const variable of [
  { key: 'SECRET', value: SECRET, masked: true },
  { key: 'NOTES', value: 'notes in a file\n', variable_type: 'file' },
])
  await root.post(`/projects/${project.id}/variables`, variable)

/** Resolves when a pipeline has ended. */
function ended(pipelineId: number): Promise<string> {
  return nextEvent(
    'pipeline.changed',
    (event) => event['pipeline_id'] === pipelineId && /success|failed|canceled/.test(String(event['status'])),
  )
}

function nextEvent(name: string, is: (event: Record<string, unknown>) => boolean): Promise<string> {
  return new Promise((resolve) => {
    const stop = here.ctx().events.watch((event, payload) => {
      if (event !== name || !is(payload as Record<string, unknown>)) return
      stop()
      resolve(String((payload as Record<string, unknown>)['status']))
    })
  })
}

const jobsOf = async (
  pipelineId: number,
): Promise<Record<string, Record<string, unknown> & { id: number }>> => {
  const { body } = await root.get(`/projects/${project.id}/pipelines/${pipelineId}/jobs?include_retried=true`)
  return Object.fromEntries(body.map((job: { name: string }) => [job.name, job]))
}
const traceOf = async (id: number): Promise<string> =>
  (await root.get(`/projects/${project.id}/jobs/${id}/trace`)).text
const folder = join(here.dataDir, 'built_in_runner')

describe('the built-in runner', () => {
  it('is off until an administrator enables it', async () => {
    const off = await root.get('/-/built_in_runner')
    expect(off.body).toEqual({
      enabled: false,
      concurrency: 1,
      working: false,
      runner_id: null,
      running_jobs: 0,
      available: true,
      shell: expect.stringMatching(/\/(ba)?sh$/),
      warning: expect.stringContaining('Switch it on only if you trust everybody'),
      problem: null,
    })
    const other = here.as(here.make.user())
    for (const [who, status] of [
      [here.as(null), 401],
      [other, 403],
    ] as const) {
      expect((await who.get('/-/built_in_runner')).status).toBe(status)
      expect((await who.put('/-/built_in_runner', { enabled: true })).status).toBe(status)
    }
    for (const wrong of [{}, { concurrency: 0 }, { concurrency: 9 }, { enabled: 'x' }])
      expect((await root.put('/-/built_in_runner', wrong)).status).toBe(400)
    expect((await root.get('/runners/all')).body).toEqual([])
    const on = await root.put('/-/built_in_runner', { enabled: true, concurrency: 4 })
    expect([on.status, on.body]).toMatchObject([200, { enabled: true, concurrency: 4, working: true }])
    expect((await root.get(`/runners/${on.body.runner_id}`)).body).toMatchObject({
      description: 'Built-in runner',
      runner_type: 'instance_type',
      run_untagged: true,
      tag_list: [],
    })
  })

  it('runs jobs with their files, variables, caches and logs', async () => {
    const made = await root.post(`/projects/${project.id}/pipeline`, { ref: 'main' })
    expect([made.status, made.body.message]).toEqual([201, undefined])
    expect(await ended(made.body.id)).toBe('success')
    const { build, fails, slow, takes } = await jobsOf(made.body.id)
    const log = await traceOf(build!.id)
    expect([build!['status'], log]).toEqual(['success', expect.stringContaining('Job succeeded')])
    expect(log).toContain(`hello ${project.name} from build\n`)
    expect(log).toContain('\x1b[32;1m$ cat "$NOTES"\x1b[0;m\nnotes in a file\n')
    expect(log).toContain('$ echo kept > kept/x # collapsed multi-line command')
    expect(log).toMatch(/section_start:\d+:get_sources\r\x1b\[0K/)
    expect(log).toMatch(/section_end:\d+:step_script\r\x1b\[0K/)
    expect(log).toContain('Checking out ')
    expect(log).toContain('A first commit\n')
    expect(log).toContain(`${here.url}/root/${project.path}.git\n`)
    expect(log).toContain('after success\n')
    expect(log).toContain('WARNING: after_script failed, but job will continue unaffected: exit code 9')
    expect(log).toContain('WARNING: *.none: no matching files.')
    // Values are masked, also those that arrive in two chunks or are in the environment.
    expect(log).toContain('SECRET=[MASKED]\n')
    expect(log).toContain('CI_JOB_TOKEN=[MASKED]\n')
    expect(log).not.toContain(SECRET)
    expect(log).not.toContain('glcbt-')
    // The environment of the instance is not passed to jobs.
    const names = [...log.matchAll(/^(\w+)=/gm)].map((match) => match[1]!)
    expect(names.filter((name) => /DESKFORGE|VITEST|^NODE_|^npm_/.test(name))).toEqual([])
    expect(log).toMatch(new RegExp(`^HOME=${folder}/builds/job-${build!.id}/home$`, 'm'))
    expect(build!['artifacts']).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ file_type: 'archive', filename: 'built-build.zip' }),
        expect.objectContaining({ file_type: 'junit' }),
        expect.objectContaining({ file_type: 'trace' }),
      ]),
    )
    const answer = await root.get(`/projects/${project.id}/jobs/${build!.id}/artifacts/out/a.txt`)
    expect([answer.status, answer.text]).toEqual([200, 'one\n'])
    expect(
      (await root.get(`/projects/${project.id}/jobs/${build!.id}/artifacts/out/deep/b.txt`)).status,
    ).toBe(404)

    expect([takes!['status'], await traceOf(takes!.id)]).toEqual([
      'success',
      expect.stringContaining('got from build\n'),
    ])
    expect(await traceOf(takes!.id)).toContain('Successfully extracted cache')

    expect(fails).toMatchObject({ status: 'failed', failure_reason: 'script_failure', allow_failure: true })
    const failed = await traceOf(fails!.id)
    expect(failed).toContain('ERROR: Job failed: exit code 1\n')
    expect(failed).toContain('after failed\n')
    expect(failed).not.toContain('\nnever\n')
    expect((await root.get(`/projects/${project.id}/jobs/${fails!.id}/artifacts/left.txt`)).text).toBe(
      'left\n',
    )

    expect(slow).toMatchObject({ status: 'failed', failure_reason: 'job_execution_timeout' })
    expect(await traceOf(slow!.id)).toContain('ERROR: Job failed: execution took longer than 1 seconds')
    expect(await traceOf(slow!.id)).toContain('Skipping Git repository setup')
    // The folders and processes of the jobs were removed.
    expect(readdirSync(join(folder, 'builds'))).toEqual([])
    expect(running()).toEqual([])
    const { runner_id } = (await root.get('/-/built_in_runner')).body
    const work = await root.get(`/runners/${runner_id}/jobs`)
    expect(work.body.map((job: { name: string }) => job.name).toSorted()).toEqual([
      'build',
      'fails',
      'slow',
      'takes',
    ])
    expect(work.body[0].project.id).toBe(project.id)
    expect(
      (await root.get(`/runners/${runner_id}/jobs?status=success&sort=asc`)).body.map(
        (job: { id: number }) => job.id,
      ),
    ).toEqual([build!.id, takes!.id].toSorted((a, b) => a - b))
    const stranger = here.as(here.make.user())
    expect((await stranger.get(`/runners/${runner_id}/jobs`)).body).toEqual([])
  })

  it('stops a canceled job with all of its processes', async () => {
    const other = await here.make.project()
    fill(here, other, [
      {
        branch: 'main',
        message: 'm',
        files: { '.gitlab-ci.yml': 'long:\n  script: ["echo ready", "(sleep 1000 &)", "sleep 1000"]\n' },
      },
    ])
    // This is the only job, and its log grows once it runs.
    const started = nextEvent('job.trace_changed', () => true)
    const { body: pipeline } = await root.post(`/projects/${other.id}/pipeline`, { ref: 'main' })
    const [job] = (await root.get(`/projects/${other.id}/pipelines/${pipeline.id}/jobs`)).body
    await started
    const canceled = await root.post(`/projects/${other.id}/jobs/${job.id}/cancel`)
    expect([canceled.status, canceled.body.status]).toEqual([201, 'canceled'])
    await expect.poll(() => readdirSync(join(folder, 'builds'))).toEqual([])
    expect(running()).toEqual([])
    expect((await root.get(`/projects/${other.id}/jobs/${job.id}`)).body.status).toBe('canceled')
  })

  it('ends its jobs when it is disabled, and keeps its row when it is enabled again', async () => {
    const other = await here.make.project()
    fill(here, other, [
      { branch: 'main', message: 'm', files: { '.gitlab-ci.yml': 'long: { script: [sleep 1000] }\n' } },
    ])
    // This is the only job, and its log grows once it runs.
    const started = nextEvent('job.trace_changed', () => true)
    const { body: pipeline } = await root.post(`/projects/${other.id}/pipeline`, { ref: 'main' })
    const [job] = (await root.get(`/projects/${other.id}/pipelines/${pipeline.id}/jobs`)).body
    await started
    const before = (await root.get('/-/built_in_runner')).body
    expect(before.running_jobs).toBe(1)
    const off = await root.put('/-/built_in_runner', { enabled: false })
    expect(off.body).toMatchObject({
      enabled: false,
      working: false,
      running_jobs: 0,
      runner_id: before.runner_id,
    })
    expect((await root.get(`/projects/${other.id}/jobs/${job.id}`)).body).toMatchObject({
      status: 'failed',
      failure_reason: 'runner_system_failure',
    })
    expect(running()).toEqual([])
    expect((await root.get(`/runners/${before.runner_id}`)).body.paused).toBe(true)
    const on = await root.put('/-/built_in_runner', { enabled: true })
    expect(on.body).toMatchObject({ enabled: true, working: true, runner_id: before.runner_id })
    expect((await root.get(`/runners/${before.runner_id}`)).body.paused).toBe(false)
    expect((await root.delete(`/runners/${before.runner_id}`)).status).toBe(204)
    expect((await root.get('/-/built_in_runner')).body).toMatchObject({ enabled: false, runner_id: null })
  })
})

/** Returns the processes with a working folder in a folder of the runner. */
function running(): string[] {
  if (!existsSync('/proc/self/environ')) return []
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`${folder}/builds`)
    } catch {
      return false
    }
  })
}
