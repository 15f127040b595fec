import { describe, expect, it } from 'vitest'

import { environmentVariables } from '../../../server/domains/ci/environments/prepare.ts'
import { frozenClock } from '../../../server/lib/clock.ts'
import { storeExports } from '../../../server/domains/ci/artifacts/exports.ts'
import { world } from '../../support/world.ts'
import { watchEvents, onDisk } from '../repository/fill.ts'
import { refTarget } from '../../../server/git/read/revisions.ts'
import { pipelinesWithGit } from './deploying.ts'

const START = '2026-11-22T08:00:00.000Z'
const here = await world({ clock: frozenClock(START) })
const root = here.as(here.root)
const pipelines = await pipelinesWithGit(here)
const { project } = pipelines
const at = `/projects/${project.id}`

const CONFIG = `
variables:
  AREA: north
deploy:
  script: make deploy
  environment:
    name: review/$AREA-$CI_COMMIT_REF_SLUG
    url: https://$CI_ENVIRONMENT_SLUG.example.test/$PORT
    on_stop: stop
    auto_stop_in: $DAYS days
    deployment_tier: staging
  variables:
    DAYS: "2"
look:
  script: make look
  environment:
    name: review/$AREA-$CI_COMMIT_REF_SLUG
    action: verify
stop:
  script: make stop
  when: manual
  environment:
    name: review/$AREA-$CI_COMMIT_REF_SLUG
    action: stop
`

const named = async (name: string) =>
  (await root.get(`${at}/environments?name=${encodeURIComponent(name)}`)).body[0]
const deploymentsOf = async (name: string) =>
  (await root.get(`${at}/deployments?environment=${encodeURIComponent(name)}&sort=desc`)).body as Record<
    string,
    unknown
  >[]

describe('jobs with an environment', () => {
  it('create it with the pipeline, and make it available when they succeed', async () => {
    const events = watchEvents(here, 'deployment.changed')
    const pipeline = await pipelines.make(CONFIG)
    const name = 'review/north-main'
    const made = await named(name)
    expect(made).toMatchObject({
      state: 'available',
      tier: 'staging',
      external_url: null,
      last_deployment: null,
    })
    const [waiting, ...rest] = await deploymentsOf(name)
    const job = pipelines.job(pipeline, 'deploy')
    expect(rest).toEqual([])
    expect(waiting).toMatchObject({
      iid: 1,
      ref: 'main',
      status: 'created',
      user: { id: 1 },
      environment: { id: made.id, name, slug: made.slug, external_url: null },
      deployable: { id: job.id, name: 'deploy', status: 'pending' },
    })

    pipelines.start(pipeline, 'deploy')
    await here.drain()
    expect((await deploymentsOf(name))[0]).toMatchObject({
      status: 'running',
      deployable: { status: 'running' },
    })
    storeExports(here.ctx(), job.id, [{ key: 'PORT', value: '8080' }])
    pipelines.end(pipeline, 'deploy')
    await here.drain()
    const started = await named(name)
    expect(started).toMatchObject({
      external_url: `https://${made.slug}.example.test/8080`,
      last_deployment: { id: waiting!['id'], status: 'success', sha: waiting!['sha'] },
    })
    const stored = here
      .ctx()
      .db.one<{ auto_stop_at: string }>('SELECT auto_stop_at FROM environments WHERE id = ?', made.id)
    expect(stored!.auto_stop_at).toBe('2026-11-24T08:00:00.000Z')
    const ref = `refs/environments/${made.slug}/deployments/1`
    expect(await refTarget(onDisk(here, project), ref)).toBe(waiting!['sha'])
    expect(events.map((event) => event['status'])).toEqual(['created', 'running', 'success'])

    // A job with another action than `start` has no deployment.
    pipelines.end(pipeline, 'look')
    await here.drain()
    expect(await deploymentsOf(name)).toHaveLength(1)
  })

  it('have a new deployment after a retry, with the status of the job', async () => {
    const config = `
deploy:
  script: make deploy
  environment: again
later:
  stage: deploy
  script: make deploy
  environment: { name: again-later }
`
    const pipeline = await pipelines.make(config)
    pipelines.end(pipeline, 'deploy', 'failed')
    await here.drain()
    expect((await deploymentsOf('again'))[0]).toMatchObject({ status: 'failed' })
    expect((await deploymentsOf('again-later'))[0]).toMatchObject({ status: 'skipped' })
    expect((await named('again')).last_deployment).toBeNull()
    const first = pipelines.job(pipeline, 'deploy')
    const retried = await root.post(`${at}/jobs/${first.id}/retry`)
    expect(retried.status).toBe(201)
    expect(await deploymentsOf('again')).toMatchObject([
      { status: 'created', deployable: { id: retried.body.id } },
      { status: 'failed', deployable: { id: first.id } },
    ])
    await here.drain()
    expect((await deploymentsOf('again-later'))[0]).toMatchObject({ status: 'created' })
    await root.post(`${at}/jobs/${retried.body.id}/cancel`)
    await here.drain()
    expect((await deploymentsOf('again'))[0]).toMatchObject({ status: 'canceled' })
  })

  it('run without the environment if its name is invalid after variable expansion', async () => {
    const pipeline = await pipelines.make('deploy: { script: x, environment: "$NOWHERE" }')
    const job = pipelines.job(pipeline, 'deploy')
    expect([job.environment, job.environment_action, job.status]).toEqual([null, null, 'pending'])
    expect(environmentVariables(here.ctx(), project, job)).toEqual([])
  })

  it('do not set an invalid URL, and keep the URL of the environment', async () => {
    const url =
      'deploy: { script: x, environment: { name: url, url: "$SCHEME:alert(1)", auto_stop_in: never } }'
    await root.post(`${at}/environments`, { name: 'url', external_url: 'https://old.example.test' })
    const pipeline = await pipelines.make(`variables: { SCHEME: javascript }\n${url}`)
    pipelines.end(pipeline, 'deploy')
    await here.drain()
    expect(await named('url')).toMatchObject({
      external_url: 'https://old.example.test',
      last_deployment: { status: 'success' },
    })
  })

  it('have the variables of the environment', async () => {
    const pipeline = await pipelines.make(CONFIG)
    const of = (name: string) =>
      Object.fromEntries(
        environmentVariables(here.ctx(), project, pipelines.job(pipeline, name)).map(({ key, value }) => [
          key,
          value,
        ]),
      )
    const { slug } = await named('review/north-main')
    expect(of('deploy')).toEqual({
      CI_ENVIRONMENT_NAME: 'review/north-main',
      CI_ENVIRONMENT_SLUG: slug,
      CI_ENVIRONMENT_URL: 'https://$CI_ENVIRONMENT_SLUG.example.test/$PORT',
      CI_ENVIRONMENT_ACTION: 'start',
      CI_ENVIRONMENT_TIER: 'staging',
    })
    expect(of('stop')).toMatchObject({
      CI_ENVIRONMENT_URL: `https://${slug}.example.test/8080`,
      CI_ENVIRONMENT_ACTION: 'stop',
    })
  })
})
