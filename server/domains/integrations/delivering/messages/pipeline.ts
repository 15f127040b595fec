import { pipelineById } from '../../../ci/index.ts'
import { type Delivery, projectUrl } from '../channel.ts'
import { type DeploymentPayload, payloadOf, type PipelinePayload } from '../payload.ts'
import { type TextPart, text, type Text } from './markup.ts'
import { type Attachment, type Message, nameOf, projectLink, projectName, refLink } from './message.ts'

/** The maximum number of failed CI jobs that a message names. It only counts the others. */
const MAX_JOBS = 10

const COLORS: Readonly<Record<string, string>> = { passed: 'good', 'passed with warnings': 'warning' }

/** A finished pipeline. */
export function pipelineMessage(delivery: Delivery): Message {
  const payload = payloadOf<PipelinePayload>(delivery)
  const { object_attributes: pipeline, user } = payload
  const userName = nameOf(user)
  const kind = pipeline.tag ? 'tag' : 'branch'
  const link: TextPart = { link: `#${pipeline.id}`, url: pipelineUrl(delivery) }
  const ref = refLink(delivery, pipeline.ref, pipeline.tag)
  const outcome = outcomeOf(pipeline)
  const duration = durationOf(pipeline.duration)
  const head = text`Pipeline ${link} of ${kind} ${ref} by ${userName} has ${outcome}`
  const summary = text`${projectLink(delivery)}: ${head}${duration === '' ? '' : ` in ${duration}`}`
  return {
    pretext: [],
    summary,
    attachments: [attachmentOf(delivery, payload, summary)],
    activity: {
      title: head,
      subtitle: text`in ${projectLink(delivery)}`,
      text: duration === '' ? [] : [`in ${duration}`],
      image: user?.avatar_url ?? null,
    },
    author: { name: userName, avatar: user?.avatar_url ?? null },
    thread: `pipeline ${pipeline.id}`,
  }
}

function pipelineUrl(delivery: Delivery): string {
  const { object_attributes } = payloadOf<PipelinePayload>(delivery)
  return object_attributes.url ?? `${projectUrl(delivery)}/-/pipelines/${object_attributes.id}`
}

/** The result of a pipeline, as a word. */
export function outcomeOf({
  status,
  detailed_status,
}: Pick<PipelinePayload['object_attributes'], 'status' | 'detailed_status'>): string {
  if (status !== 'success') return status
  return detailed_status === 'passed with warnings' ? detailed_status : 'passed'
}

/** `02:05`, or `01:02:05` for an hour or more. Empty for null. */
export function durationOf(seconds: number | null): string {
  if (seconds === null) return ''
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const rest = `${twoDigits(minutes)}:${twoDigits(Math.floor(seconds) % 60)}`
  return hours === 0 ? rest : `${twoDigits(hours)}:${rest}`
}

function attachmentOf(delivery: Delivery, payload: PipelinePayload, fallback: Text): Attachment {
  const { object_attributes: pipeline, user, project } = payload
  const outcome = outcomeOf(pipeline)
  const duration = durationOf(pipeline.duration)
  const finishedMs = Date.parse(pipeline.finished_at?.replace(' UTC', 'Z').replace(' ', 'T') ?? '')
  return {
    fallback,
    color: COLORS[outcome] ?? 'danger',
    author: {
      name: nameOf(user),
      icon: user?.avatar_url ?? null,
      link: user ? `${delivery.ctx.config.url}/${user.username}` : null,
    },
    title: `Pipeline #${pipeline.id} has ${outcome}${duration === '' ? '' : ` in ${duration}`}`,
    title_link: pipelineUrl(delivery),
    fields: fieldsOf(delivery, payload),
    footer: { name: projectName(delivery), icon: project.avatar_url },
    ...(Number.isNaN(finishedMs) ? {} : { ts: Math.floor(finishedMs / 1000) }),
  }
}

function fieldsOf(delivery: Delivery, { object_attributes: pipeline, commit, builds }: PipelinePayload) {
  const failedJobs = builds.filter((job) => job.status === 'failed' && !job.allow_failure)
  const stages = [...new Set(failedJobs.map((job) => job.stage))]
  const stageLinks = stages.map((stage) => ({ link: stage, url: `${pipelineUrl(delivery)}/failures` }))
  const jobLinks = failedJobs.map((job) => ({
    link: job.name,
    url: `${projectUrl(delivery)}/-/jobs/${job.id}`,
  }))
  const ref = {
    title: pipeline.tag ? 'Tag' : 'Branch',
    value: [refLink(delivery, pipeline.ref, pipeline.tag)],
  }
  return [
    { ...ref, short: true },
    ...(commit ? [{ title: 'Commit', value: [{ link: commit.title, url: commit.url }], short: true }] : []),
    ...failures('Failed stage', stageLinks),
    ...failures('Failed job', jobLinks),
    ...invalidConfig(delivery, pipeline.id),
  ]
}

/** The errors of the CI configuration, which payloads do not contain. */
function invalidConfig({ ctx }: Delivery, id: number) {
  const errors = pipelineById(ctx.db, id)?.yaml_errors
  return errors ? [{ title: 'Invalid CI config YAML file', value: [errors], short: false }] : []
}

function failures(title: string, links: readonly TextPart[]) {
  if (links.length === 0) return []
  const parts = links.slice(0, MAX_JOBS).flatMap((link, at): TextPart[] => (at === 0 ? [link] : [', ', link]))
  const moreCount = links.length - MAX_JOBS
  return [
    {
      title: links.length === 1 ? title : `${title}s`,
      value: moreCount > 0 ? [...parts, `, and ${moreCount} more`] : parts,
      short: true,
    },
  ]
}

const DEPLOYMENT_COLORS: Readonly<Record<string, string>> = {
  running: '#334455',
  success: 'good',
  failed: 'danger',
  canceled: 'warning',
}

/** A deployment that started or finished. */
export function deploymentMessage(delivery: Delivery): Message {
  const payload = payloadOf<DeploymentPayload>(delivery)
  const { user, environment, status } = payload
  const result = DEPLOYMENT_STATUSES[status] ?? status
  const pretext =
    status === 'running' ? `Starting deploy to ${environment}` : `Deploy to ${environment} ${result}`
  return {
    pretext: [pretext],
    summary: [pretext],
    attachments: [
      { text: deploymentDetails(delivery, payload), color: DEPLOYMENT_COLORS[status] ?? '#334455' },
    ],
    activity: {
      title: [pretext],
      subtitle: text`in ${projectLink(delivery)}`,
      text: deploymentDetails(delivery, payload),
      image: user?.avatar_url ?? null,
    },
    author: { name: nameOf(user), avatar: user?.avatar_url ?? null },
    thread: `deployment ${environment}`,
  }
}

const DEPLOYMENT_STATUSES: Readonly<Record<string, string>> = { success: 'succeeded' }

function deploymentDetails(delivery: Delivery, payload: DeploymentPayload): Text {
  const { deployable_id, deployable_url, user, user_url, short_sha, commit_url, commit_title } = payload
  const linkOrText = (link: string, url: string | null): TextPart => (url ? { link, url } : link)
  const job = deployable_id === null ? [] : text` with job ${linkOrText(`#${deployable_id}`, deployable_url)}`
  const by = linkOrText(nameOf(user), user_url)
  return text`${projectLink(delivery)}${job} by ${by}\n${linkOrText(short_sha, commit_url)}: ${commit_title ?? ''}`
}
