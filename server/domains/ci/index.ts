export { variablesFor, type GivenVariable, type VariableUse } from './variables/precedence.ts'
export { secureFileContent } from './secure_files/content.ts'
export { pipelineForReports } from './pipelines/external.ts'
