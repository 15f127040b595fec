/** Folders of code that others wrote, of documents and of examples. */
const FOLDERS =
  /(?:^|\/)(?:node_modules|bower_components|vendor(?:s|ed)?|third[-_]?party|3rd[-_]?party|extern(?:al)?|deps|dist|Godeps|Carthage|Pods|\.yarn|\.vscode|\.venv|venv|site-packages|[Dd]ocs?|[Dd]ocumentation|[Ee]xamples?|[Tt]ests?\/fixtures|[Ss]pecs?\/fixtures|__generated__|generated)\//

/** Files that programs write, or that are copied from elsewhere. */
const FILES =
  /(?:^|\/)(?:gradlew(?:\.bat)?|mvnw(?:\.cmd)?|configure|jquery(?:[-.][\w.-]*)?\.js|bootstrap[\w.-]*\.(?:js|css|less|scss)|[\w.-]+[.-]min\.(?:js|css)|[\w.-]+\.(?:map|lock)|[\w.-]+\.pb\.(?:go|cc|h)|[\w.-]+_pb2(?:_grpc)?\.py|[\w.-]+\.designer\.(?:cs|vb)|[\w.-]+\.g(?:en)?\.(?:ts|dart|go|cs)|(?:CHANGELOG|CHANGES|CONTRIBUTING|COPYING|INSTALL|LICEN[SC]E|README)(?:\.[\w.-]+)?)$/i

/** True for files that say nothing about what a project is written in. */
export function isPassedOver(path: string): boolean {
  return FOLDERS.test(path) || FILES.test(path)
}
