import type { RequestView } from './views.ts'

interface Pair {
  readonly name: string
  readonly value: string
}

/** Requests in the HTTP Archive format 1.2, which browsers and other tools read. `origin` is the address of the instance. */
export function harOf(requests: readonly RequestView[], origin: string, version: string): object {
  return {
    log: {
      version: '1.2',
      creator: { name: 'Deskforge', version },
      entries: requests.map((request) => entryOf(request, origin)),
    },
  }
}

function entryOf(one: RequestView, origin: string): object {
  const spent = one.steps.reduce((sum, { duration_ms }) => sum + duration_ms, 0)
  const receive = one.steps.find(({ step }) => step === 'receive')?.duration_ms ?? 0
  const text = one.request_body.text
  return {
    startedDateTime: one.time,
    time: one.duration_ms,
    request: {
      method: one.method,
      url: `${origin}${one.target}`,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(one.request_headers),
      queryString: [...new URLSearchParams(one.target.split('?')[1] ?? '')].map(([name, value]) => ({
        name,
        value,
      })),
      ...(text === null ? {} : { postData: { mimeType: one.request_headers['content-type'] ?? '', text } }),
      headersSize: -1,
      bodySize: one.request_body.size,
    },
    response: {
      status: one.status,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(one.answer_headers),
      content: {
        size: one.answer_body.size,
        mimeType: one.answer_headers['content-type'] ?? '',
        ...(one.answer_body.text === null ? {} : { text: one.answer_body.text }),
      },
      redirectURL: one.answer_headers['location'] ?? '',
      headersSize: -1,
      bodySize: one.answer_body.size,
    },
    cache: {},
    timings: { send: receive, wait: Math.max(0, one.duration_ms - receive), receive: 0 },
    _deskforge: {
      request_id: one.request_id,
      route: one.route,
      hints: one.hints,
      steps: one.steps,
      outside_steps_ms: Math.max(0, one.duration_ms - spent),
      statements: one.statements,
      git: one.git,
      events: one.events,
      jobs: one.jobs,
      deliveries: one.deliveries,
    },
  }
}

function pairs(headers: Readonly<Record<string, string>>): Pair[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }))
}
