import { z } from 'zod'

import { atLeastOne, endpoint } from '../../../http/endpoint.ts'
import { entity, row } from '../../../http/entity.ts'
import { bool, int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { avatarParam } from '../../storage/index.ts'
import { createTopic, deleteTopic, getTopic, mergeTopics, updateTopic } from './service.ts'
import * as store from './store.ts'
import type { TopicRow } from './store.ts'

/** A topic of the instance (spec core 3). */
const Topic = entity(
  'Topic',
  {
    id: z.int(),
    name: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    total_projects_count: z.int(),
    avatar_url: z.string().nullable(),
  },
  row<TopicRow>(),
  (topic, at) => ({
    avatar_url: topic.avatar
      ? `${at.url}/uploads/-/system/topic/avatar/${topic.id}/${encodeURIComponent(topic.avatar)}`
      : null,
  }),
)

const INVALID = 'A value is invalid: `{"message": {"<field>": ["…"]}}`'
const idParam = { id: int({ min: 1 }).describe('The ID of the topic') }
const sharedParams = {
  description: text().nullable().optional().describe('Description of the topic'),
  avatar: avatarParam(),
}

export const listTopics = endpoint('GET /topics', {
  summary: 'List topics',
  can: 'anyone',
  params: {
    search: text({ max: 255 }).optional().describe('Search in name and title'),
    without_projects: bool().optional().describe('Limit to topics without projects'),
  },
  pure: true,
  returns: page(Topic),
  run: ({ params, paging, db }) => store.topicsPage(db, params, paging),
})

export const showTopic = endpoint('GET /topics/:id', {
  summary: 'Get a single topic',
  can: 'anyone',
  params: idParam,
  pure: true,
  returns: ok(Topic),
  run: ({ params, ...ctx }) => getTopic(ctx, params.id),
})

export const create = endpoint('POST /topics', {
  summary: 'Create a topic',
  can: 'admin',
  params: {
    name: text({ max: 255 }).describe('Name of the topic'),
    title: text({ max: 255 }).describe('Title of the topic'),
    ...sharedParams,
  },
  fails: { 400: INVALID },
  returns: created(Topic),
  run: ({ params, ...ctx }) => createTopic(ctx, params),
})

const updateParams = {
  name: text({ max: 255 }).optional().describe('Name of the topic'),
  title: text({ max: 255 }).optional().describe('Title of the topic'),
  ...sharedParams,
}

export const update = endpoint('PUT /topics/:id', {
  summary: 'Update a topic',
  can: 'admin',
  params: { ...idParam, ...updateParams },
  parameterRules: [atLeastOne(...Object.keys(updateParams))],
  fails: { 400: INVALID },
  returns: ok(Topic),
  run: ({ params: { id, ...changes }, ...ctx }) => updateTopic(ctx, getTopic(ctx, id), changes),
})

export const remove = endpoint('DELETE /topics/:id', {
  summary: 'Delete a topic',
  can: 'admin',
  params: idParam,
  returns: noContent,
  run: ({ params, http, ...ctx }) => {
    const topic = getTopic(ctx, params.id)
    http.unmodifiedSince(topic.updated_at)
    return deleteTopic(ctx, topic)
  },
})

export const merge = endpoint('POST /topics/merge', {
  summary: 'Merge topics',
  can: 'admin',
  params: {
    source_topic_id: int({ min: 1 }).describe('The ID of the topic that is deleted'),
    target_topic_id: int({ min: 1 }).describe('The ID of the topic that receives the projects'),
  },
  fails: { 400: 'The source topic and the target topic are identical.' },
  returns: created(Topic),
  run: ({ params, ...ctx }) => mergeTopics(ctx, params.source_topic_id, params.target_topic_id),
})
