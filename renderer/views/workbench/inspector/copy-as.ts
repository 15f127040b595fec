import type { RequestInFull } from './requests.ts'

/** A request as code. */
export type Sample = { name: string; code: string }

const API = '/api/v4/'
const MASK = '[masked]'

type Parts = {
  method: string
  url: string
  /** Below `/api/v4/`; undefined for other addresses. */
  path: string | undefined
  query: [string, string][]
  body: string | null
  data: unknown
}

const partsOf = (request: RequestInFull, origin: string): Parts => {
  const { method, target } = request
  const url = new URL(target, origin)
  const { text } = request.request_body
  let data: unknown
  try {
    data = text === null ? undefined : JSON.parse(text)
  } catch {
    data = undefined
  }
  return {
    method,
    url: origin + target.split(MASK).join('SECRET'),
    path: url.pathname.startsWith(API) ? url.pathname.slice(API.length) : undefined,
    query: [...url.searchParams].map(([name, value]) => [name, value === MASK ? 'SECRET' : value]),
    body: text,
    data,
  }
}

const shell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const curl = ({ method, url, body }: Parts): string =>
  [
    `curl --request ${method} ${shell(url)}`,
    '--header "PRIVATE-TOKEN: $TOKEN"',
    ...(body === null ? [] : ["--header 'Content-Type: application/json'", `--data ${shell(body)}`]),
  ].join(' \\\n  ')

/** A JSON value as Python. */
const python = (value: unknown): string => {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`
  if (typeof value === 'object')
    return `{${Object.entries(value!)
      .map(([name, one]) => `${JSON.stringify(name)}: ${python(one)}`)
      .join(', ')}}`
  return JSON.stringify(value)
}

const pythonGitlab = ({ method, path, query, data }: Parts, origin: string): string => {
  const args = [
    `"${method.toLowerCase()}"`,
    JSON.stringify(`/${path}`),
    ...(query.length > 0 ? [`query_data=${python(Object.fromEntries(query))}`] : []),
    ...(data === undefined ? [] : [`post_data=${python(data)}`]),
  ]
  return `import os
import gitlab

gl = gitlab.Gitlab("${origin}", private_token=os.environ["TOKEN"])
answer = gl.http_request(${args.join(', ')})
print(answer.json())`
}

const gitbeaker = ({ method, path, query, data }: Parts, origin: string): string => {
  const options = {
    ...(query.length > 0 ? { searchParams: Object.fromEntries(query) } : {}),
    ...(data === undefined ? {} : { body: data }),
  }
  const given = Object.keys(options).length > 0 ? `, ${JSON.stringify(options, null, 2)}` : ''
  const verb = method === 'DELETE' ? 'delete' : method === 'HEAD' ? 'get' : method.toLowerCase()
  return `import { Gitlab } from '@gitbeaker/rest'

const api = new Gitlab({ host: '${origin}', token: process.env.TOKEN })
const { body } = await api.Projects.requester.${verb}(${JSON.stringify(path)}${given})
console.log(body)`
}

const go = ({ method, path, query, data }: Parts, origin: string): string => {
  const search = query.length > 0 ? `?${new URLSearchParams(query)}` : ''
  const body = data === undefined ? 'nil' : 'body'
  const json = JSON.stringify(data) ?? ''
  const literal = json.includes('`') ? JSON.stringify(json) : `\`${json}\``
  return `package main

import (
	"encoding/json"
	"log"
	"os"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

func main() {
	client, err := gitlab.NewClient(os.Getenv("TOKEN"), gitlab.WithBaseURL("${origin}"))
	if err != nil {
		log.Fatal(err)
	}
${data === undefined ? '' : `	body := json.RawMessage(${literal})\n`}	request, err := client.NewRequest("${method}", ${JSON.stringify(path + search)}, ${body}, nil)
	if err != nil {
		log.Fatal(err)
	}
	var answer json.RawMessage
	if _, err := client.Do(request, &answer); err != nil {
		log.Fatal(err)
	}
	log.Println(string(answer))
}`
}

/** The request in the languages of its clients. What was masked is to be filled in; addresses outside the API are for curl. */
export const samplesOf = (request: RequestInFull, origin: string): Sample[] => {
  const parts = partsOf(request, origin)
  const all = [{ name: 'curl', code: curl(parts) }]
  if (parts.path === undefined) return all
  return [
    ...all,
    { name: 'python-gitlab', code: pythonGitlab(parts, origin) },
    { name: 'gitbeaker', code: gitbeaker(parts, origin) },
    { name: 'Go', code: go(parts, origin) },
  ]
}
