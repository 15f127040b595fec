import type { Running } from '../support/instance.ts'

/** A project (a repository, in words of other forges) that both forges have with the same content. */
export interface Project {
  readonly name: string
  /** Its path in the API. */
  readonly api: string
}

/** The paths of the reads, including the prefix of the API. */
export interface Reads {
  project(project: Project): string
  projects(): string
  issues(project: Project): string
  requests(project: Project): string
  request(project: Project, number: number): string
  diff(project: Project, number: number): string
  tree(project: Project): string
  raw(project: Project, path: string): string
  commits(project: Project): string
  branches(project: Project): string
}

/** A forge with its own API, behind common operations. */
export interface Forge {
  readonly name: string
  readonly running: Running
  readonly headers: Readonly<Record<string, string>>
  readonly reads: Reads
  /** Restarts the forge on the same data. */
  restart(): Promise<void>
  /** Disables rate limits per user, because a single user sends all requests. */
  prepare(): Promise<void>
  /** Creates an empty project. */
  createProject(name: string): Promise<Project>
  /** The git URL, with credentials. */
  remote(project: Project): string
  createIssue(project: Project, title: string): Promise<void>
  createRequest(project: Project, branch: string): Promise<number>
  untilMergeable(project: Project, number: number): Promise<void>
  merge(project: Project, number: number): Promise<void>
  commit(project: Project, path: string, text: string): Promise<void>
}

/** Sends one request and parses the response. Throws for every error status. */
export async function ask<T = unknown>(
  { running, headers }: Pick<Forge, 'running' | 'headers'>,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const answer = await fetch(running.url + path, {
    method,
    headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await answer.text()
  if (answer.status >= 400)
    throw new Error(`${method} ${path} answered ${answer.status}: ${text.slice(0, 300)}`)
  return (text === '' ? undefined : JSON.parse(text)) as T
}
