/** What a job of a template is made of. */
interface Job {
  readonly image: string
  readonly script: readonly string[]
  /** Folders that are kept from one pipeline to the next. */
  readonly cache?: readonly string[]
  /** What later jobs and people get. */
  readonly paths?: readonly string[]
}

function text(name: string, { image, script, cache, paths }: Job): string {
  const list = (items: readonly string[], indent: string) =>
    items.map((one) => `${indent}- ${one}\n`).join('')
  return [
    `image: ${image}\n\n`,
    cache ? `cache:\n  paths:\n${list(cache, '    ')}\n` : '',
    `${name}:\n  script:\n${list(script, '    ')}`,
    paths ? `  artifacts:\n    paths:\n${list(paths, '      ')}` : '',
  ].join('')
}

const JOBS: Readonly<Record<string, Job>> = {
  Android: {
    image: 'cimg/android:2025.01',
    script: ['./gradlew lint', './gradlew test', './gradlew assembleDebug'],
    cache: ['.gradle'],
    paths: ['app/build/outputs'],
  },
  'Android-Fastlane': {
    image: 'cimg/android:2025.01',
    script: ['bundle install', 'bundle exec fastlane test'],
    cache: ['.gradle', 'vendor/bundle'],
  },
  Chef: { image: 'chef/chefworkstation', script: ['chef exec cookstyle', 'chef exec rspec'] },
  Clojure: { image: 'clojure:lein', script: ['lein deps', 'lein test'], cache: ['.m2'] },
  Composer: { image: 'composer:2', script: ['composer validate --strict'] },
  Crystal: { image: 'crystallang/crystal', script: ['shards install', 'crystal spec'], cache: ['lib'] },
  Dart: { image: 'dart:stable', script: ['dart pub get', 'dart analyze', 'dart test'] },
  Django: {
    image: 'python:3',
    script: ['pip install --requirement requirements.txt', 'python manage.py test'],
  },
  Elixir: {
    image: 'elixir',
    script: ['mix local.hex --force', 'mix deps.get', 'mix test'],
    cache: ['deps', '_build'],
  },
  Flutter: {
    image: 'ghcr.io/cirruslabs/flutter:stable',
    script: ['flutter pub get', 'flutter analyze', 'flutter test'],
  },
  'Getting-Started': {
    image: 'busybox',
    script: ['echo "Replace this line by what builds and tests the project"'],
  },
  Grails: { image: 'eclipse-temurin:17', script: ['./grailsw test-app'], cache: ['.gradle'] },
  Julia: { image: 'julia', script: [`julia --project -e 'using Pkg; Pkg.instantiate(); Pkg.test()'`] },
  LaTeX: { image: 'texlive/texlive', script: ['latexmk -pdf -interaction=nonstopmode'], paths: ['"*.pdf"'] },
  Laravel: {
    image: 'composer:2',
    script: [
      'composer install --no-interaction',
      'cp .env.example .env',
      'php artisan key:generate',
      'php artisan test',
    ],
    cache: ['vendor'],
  },
  Mono: { image: 'mono', script: ['nuget restore', 'msbuild /p:Configuration=Release'] },
  Packer: { image: 'hashicorp/packer:light', script: ['packer init .', 'packer validate .'] },
  Scala: {
    image: 'sbtscala/scala-sbt:eclipse-temurin-21.0.7_6_1.11.2_3.7.1',
    script: ['sbt clean test'],
    cache: ['.ivy2', '.sbt'],
  },
  Swift: { image: 'swift', script: ['swift build', 'swift test'], cache: ['.build'] },
  'iOS-Fastlane': { image: 'ruby', script: ['bundle install', 'bundle exec fastlane tests'] },
  npm: { image: 'node:lts', script: ['npm ci', 'npm publish --dry-run'], cache: ['.npm'] },
}

const SITES: Readonly<Record<string, Job>> = {
  Brunch: { image: 'node:lts', script: ['npm ci', 'npx brunch build --production'] },
  Doxygen: { image: 'alpine', script: ['apk add --no-cache doxygen graphviz', 'doxygen', 'mv html public'] },
  Gatsby: { image: 'node:lts', script: ['npm ci', 'npx gatsby build --prefix-paths'] },
  Hexo: { image: 'node:lts', script: ['npm ci', 'npx hexo generate'] },
  Hugo: { image: 'hugomods/hugo', script: ['hugo --minify'] },
  Jekyll: { image: 'ruby', script: ['bundle install', 'bundle exec jekyll build --destination public'] },
  Lektor: { image: 'python:3', script: ['pip install lektor', 'lektor build --output-path public'] },
  Middleman: { image: 'ruby', script: ['bundle install', 'bundle exec middleman build --build-dir public'] },
  Nanoc: { image: 'ruby', script: ['bundle install', 'bundle exec nanoc', 'mv output public'] },
  Pelican: {
    image: 'python:3',
    script: ['pip install "pelican[markdown]"', 'pelican content --output public'],
  },
  Zola: { image: 'alpine', script: ['apk add --no-cache zola', 'zola build --output-dir public'] },
}

/** Templates that are one job, by name. */
export const moreLanguages: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(JOBS).map(([name, job]) => [name, text('test', job)])),
  ...Object.fromEntries(
    Object.entries(SITES).map(([name, job]) => [
      `Pages/${name}`,
      text('pages', { ...job, paths: ['public'] }),
    ]),
  ),
}
