import { atLeastOne, endpoint } from '../../../http/endpoint.ts'
import { bool, int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { avatarParam } from '../../storage/index.ts'
import { createTopic, deleteTopic, getTopic, mergeTopics, updateTopic } from './service.ts'
import { Topic } from './entity.ts'
import * as store from './store.ts'

const INVALID = 'A value is not acceptable: `{"message": {"<field>": ["…"]}}`'
const idParam = { id: int({ min: 1 }).describe('Id of the topic') }
const texts = {
  description: text().nullable().optional().describe('What it is about'),
  avatar: avatarParam(),
}

export const listTopics = endpoint('GET /topics', {
  summary: 'List the topics of the instance, those of the most projects first',
  can: 'anyone',
  params: {
    search: text({ max: 255 }).optional().describe('Part of the name or title'),
    without_projects: bool().optional().describe('Only topics that no project has'),
  },
  pure: true,
  returns: page(Topic),
  run: ({ params, paging, db }) => store.topicsPage(db, params, paging),
})

export const showTopic = endpoint('GET /topics/:id', {
  summary: 'Get a topic',
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
    name: text({ max: 255 }).describe('What projects name it by'),
    title: text({ max: 255 }).describe('How it is shown'),
    ...texts,
  },
  fails: { 400: INVALID },
  returns: created(Topic),
  run: ({ params, ...ctx }) => createTopic(ctx, params),
})

const changeable = {
  name: text({ max: 255 }).optional().describe('What projects name it by'),
  title: text({ max: 255 }).optional().describe('How it is shown'),
  ...texts,
}

export const update = endpoint('PUT /topics/:id', {
  summary: 'Change a topic',
  can: 'admin',
  params: { ...idParam, ...changeable },
  together: [atLeastOne(...Object.keys(changeable))],
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
  summary: 'Make two topics one',
  can: 'admin',
  params: {
    source_topic_id: int({ min: 1 }).describe('Topic that goes'),
    target_topic_id: int({ min: 1 }).describe('Topic that stays and gets its projects'),
  },
  fails: { 400: 'The source topic and the target topic are identical.' },
  returns: created(Topic),
  run: ({ params, ...ctx }) => mergeTopics(ctx, params.source_topic_id, params.target_topic_id),
})
