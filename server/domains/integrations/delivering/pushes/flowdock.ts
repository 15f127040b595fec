import { html, text } from '../messages/markup.ts'
import { textOf, type Vendor } from '../occasion.ts'
import { pusherOf } from '../payload.ts'
import { send } from '../outlet.ts'
import { pushWords } from './words.ts'

/** Flowdock: an activity in the thread of the branch. */
export const flowdock: Vendor = async (occasion) => {
  const { what, project, branch, url, push } = pushWords(occasion)
  const items = push.commits.map((commit) =>
    html(text`${{ link: commit.id.slice(0, 8), url: commit.url }} ${commit.title}`),
  )
  return [
    await send(occasion, {
      url: 'https://api.flowdock.com/v1/messages',
      json: {
        flow_token: textOf(occasion, 'token'),
        event: 'activity',
        author: { name: pusherOf(push), avatar: push.user_avatar },
        title: what,
        external_thread_id: `${project}:${push.ref}`,
        thread: {
          title: `${project}: ${branch}`,
          body: items.length > 0 ? `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>` : '',
          external_url: url,
        },
        tags: [branch],
      },
    }),
  ]
}
