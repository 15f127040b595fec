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

function entryOf(request: RequestView, origin: string): object {
  const spent = request.steps.reduce((sum, { duration_ms }) => sum + duration_ms, 0)
  const receive = request.steps.find(({ step }) => step === 'receive')?.duration_ms ?? 0
  const text = request.request_body.text
  return {
    startedDateTime: request.time,
    time: request.duration_ms,
    request: {
      method: request.method,
      url: `${origin}${request.target}`,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(request.request_headers),
      queryString: [...new URLSearchParams(request.target.split('?')[1] ?? '')].map(([name, value]) => ({
        name,
        value,
      })),
      ...(text === null
        ? {}
        : { postData: { mimeType: request.request_headers['content-type'] ?? '', text } }),
      headersSize: -1,
      bodySize: request.request_body.size,
    },
    response: {
      status: request.status,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(request.answer_headers),
      content: {
        size: request.answer_body.size,
        mimeType: request.answer_headers['content-type'] ?? '',
        ...(request.answer_body.text === null ? {} : { text: request.answer_body.text }),
      },
      redirectURL: request.answer_headers['location'] ?? '',
      headersSize: -1,
      bodySize: request.answer_body.size,
    },
    cache: {},
    timings: { send: receive, wait: Math.max(0, request.duration_ms - receive), receive: 0 },
    _deskforge: {
      request_id: request.request_id,
      route: request.route,
      hints: request.hints,
      steps: request.steps,
      outside_steps_ms: Math.max(0, request.duration_ms - spent),
      statements: request.statements,
      git: request.git,
      events: request.events,
      jobs: request.jobs,
      deliveries: request.deliveries,
    },
  }
}

function pairs(headers: Readonly<Record<string, string>>): Pair[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }))
}
