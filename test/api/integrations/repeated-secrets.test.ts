import { expect, it } from 'vitest'

import { serve } from '../webhooks/receiver.ts'
import { samples, scene } from './scene.ts'

const s = await scene()
const { push } = samples(s)
/** A receiver that repeats the request in its response, as error pages do. */
const echo = await serve((request, response) =>
  response
    .writeHead(404, { 'x-path': String(request.url) })
    .end(`no ${request.url}, signed in with ${String(request.headers.authorization)}`),
)

it.each([
  ['slack', { webhook: `${echo.url}/services/T0123/B0123/the-secret` }],
  ['hangouts-chat', { webhook: `${echo.url}/v1/spaces?key=one&token=the-secret` }],
  ['jenkins', { jenkins_url: echo.url, project_name: 'reef', username: 'forge', password: 'the-secret' }],
])('secrets of %s are not in the log when the response repeats them', async (slug, settings) => {
  await s.only(slug, settings)
  await s.deliver('push', push())
  const [entry] = s.log()
  expect(entry).toMatchObject({ response_status: 404 })
  const logged = JSON.stringify(entry)
  expect(logged).toContain('[MASKED]')
  expect(logged).not.toContain('the-secret')
  expect(logged).not.toContain(Buffer.from('forge:the-secret').toString('base64'))
})
