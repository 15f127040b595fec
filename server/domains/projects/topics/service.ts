import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail, invalid } from '../../../lib/fail.ts'
import * as store from './store.ts'
import { refreshTopicLists, type TopicRow } from './store.ts'
import { checkAvatar, removeAvatar, replaceAvatar, type AvatarFile } from '../../storage/index.ts'
import { TopicCreated, TopicDeleted, TopicUpdated } from '../events.ts'

/** The fields of a topic to write; null removes the avatar. */
export interface TopicChanges {
  readonly name?: string | undefined
  readonly title?: string | undefined
  readonly description?: string | null | undefined
  readonly avatar?: AvatarFile | null | undefined
}

const MAX_DESCRIPTION = 1024

/** Returns a topic by id. Throws `404 Not found`, which the contract spells with a lowercase f. */
export function getTopic(ctx: Ctx, id: number): TopicRow {
  const row = store.topicById(ctx.db, id)
  if (!row) throw fail('not_found', '404 Not found')
  return row
}

function checkTopic(ctx: Ctx, input: TopicChanges, ownId?: number): void {
  const problems: Record<string, string> = {}
  if (input.name !== undefined) {
    const existingTopic = store.topicByName(ctx.db, input.name)
    if (input.name.trim() === '') problems['name'] = "can't be blank"
    else if (/[\r\n]/.test(input.name)) problems['name'] = 'has characters that are not allowed'
    else if (existingTopic && existingTopic.id !== ownId) problems['name'] = 'has already been taken'
  }
  if (input.title !== undefined && input.title.trim() === '') problems['title'] = "can't be blank"
  if (input.description && input.description.length > MAX_DESCRIPTION)
    problems['description'] = `is too long (maximum is ${MAX_DESCRIPTION} characters)`
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

const eventOf = (ctx: Ctx, topic: TopicRow) => ({ topic_id: topic.id, actor_id: ctx.actor.id })

/** Creates a topic. Throws 400 with every invalid field. */
export async function createTopic(
  ctx: Ctx,
  input: TopicChanges & { name: string; title: string },
): Promise<TopicRow> {
  if (input.avatar) await checkAvatar(input.avatar)
  const created = tx(ctx.db, () => {
    checkTopic(ctx, input)
    const { name, title, description = null } = input
    const topic = store.insertTopic(ctx.db, {
      name,
      title,
      description,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    publish(ctx, TopicCreated, eventOf(ctx, topic))
    return topic
  })
  return storeAvatar(ctx, created, input.avatar)
}

/** Updates a topic; its projects show the new name. Throws 400 with every invalid field. */
export async function updateTopic(ctx: Ctx, topic: TopicRow, input: TopicChanges): Promise<TopicRow> {
  if (input.avatar) await checkAvatar(input.avatar)
  const updated = tx(ctx.db, () => {
    checkTopic(ctx, input, topic.id)
    const { avatar: _avatar, ...texts } = input
    const changes = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined))
    const row = store.updateTopicRow(ctx.db, topic.id, { ...changes, updated_at: ctx.now })
    if (row.name !== topic.name) refreshTopicLists(ctx.db, store.projectsOfTopic(ctx.db, topic.id))
    publish(ctx, TopicUpdated, eventOf(ctx, row))
    return row
  })
  return storeAvatar(ctx, updated, input.avatar)
}

async function storeAvatar(
  ctx: Ctx,
  topic: TopicRow,
  file: AvatarFile | null | undefined,
): Promise<TopicRow> {
  if (file === undefined) return topic
  return replaceAvatar(ctx, 'topic', topic.id, file, (avatar) =>
    store.updateTopicRow(ctx.db, topic.id, { avatar }),
  )
}

/** Deletes a topic and removes it from its projects. */
export async function deleteTopic(ctx: Ctx, topic: TopicRow): Promise<void> {
  tx(ctx.db, () => {
    removeFromProjects(ctx, topic)
    publish(ctx, TopicDeleted, eventOf(ctx, topic))
  })
  await removeAvatar(ctx, 'topic', topic.id)
}

function removeFromProjects(ctx: Ctx, topic: TopicRow): void {
  const projects = store.projectsOfTopic(ctx.db, topic.id)
  store.removeTopic(ctx.db, topic.id)
  refreshTopicLists(ctx.db, projects)
}

/** Merges a topic into another one. Throws 400 if both are the same, 404 for an unknown topic. */
export async function mergeTopics(ctx: Ctx, sourceId: number, targetId: number): Promise<TopicRow> {
  const source = getTopic(ctx, sourceId)
  const target = getTopic(ctx, targetId)
  if (source.id === target.id)
    throw fail('bad_request', 'The source topic and the target topic are identical.')
  tx(ctx.db, () => {
    store.addToProjectsOf(ctx.db, source.id, target.id)
    removeFromProjects(ctx, source)
    publish(ctx, TopicDeleted, { ...eventOf(ctx, source), merged_into_id: target.id })
  })
  await removeAvatar(ctx, 'topic', source.id)
  return getTopic(ctx, target.id)
}
