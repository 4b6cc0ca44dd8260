//! The OpenAPI document of the server.

use mercer::data::Kind;
use mercer::model::Model;
use serde_json::{Map, Value, json};

/// The document for a model, with the names and types of its columns. Without a model it has only public information.
pub(super) fn document(model: Option<&Model>, token: bool) -> Value {
    let columns: Map<String, Value> = model
        .into_iter()
        .flat_map(|m| m.stored_objects().columns())
        .map(|c| {
            let kind = match c.values.kind() {
                Kind::Numbers => json!({"type": ["number", "null"]}),
                kind => json!({"type": ["string", "number", "null"], "description": kind.name()}),
            };
            (c.name.clone(), kind)
        })
        .collect();
    let fault = |text: &str| json!({"description": text, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Fault"}}}});
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "mercer", "version": env!("CARGO_PKG_VERSION"),
            "description": model.map_or_else(
                || "Requests with the token also see the columns of the model".to_owned(),
                |m| format!("{} on {}", m.learner(), m.expression()),
            ),
        },
        "paths": {
            "/predict": {"post": {
                "summary": "Predict objects",
                "operationId": "predict",
                "parameters": [
                    {"name": "name", "in": "query", "schema": {"type": "string"},
                     "description": "A file name that tells the format, such as new.sdf; not needed if the content can have only one format"},
                    {"name": "explain", "in": "query", "schema": {"type": "integer", "minimum": 0, "maximum": 100},
                     "description": "Number of features with which to explain each prediction; of columns (Shapley values) if the kernel has no named features, of support objects if there is one column. Molecules come with weights of atoms and bonds and an image (SVG)"},
                    {"name": "by", "in": "query", "schema": {"enum": ["any", "features", "columns", "objects", "parts"]},
                     "description": "What to explain by. Parts are stretches of series, blocks of images, words, nodes of graphs or neighbours of nodes, which are hidden: the model is evaluated again"},
                    {"name": "nearest", "in": "query", "schema": {"type": "integer", "minimum": 0, "maximum": 100},
                     "description": "Number of nearest training molecules of each molecule, with their similarity (Tanimoto of ECFP4 counts)"},
                    {"name": "confidence", "in": "query", "schema": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
                     "description": "For calibrated models: the confidence with which a set of classes, or an interval of numbers, holds the true value; includes typicality"},
                    {"name": "typicality", "in": "query", "schema": {"enum": ["yes", "no"]},
                     "description": "For calibrated models: whether to tell how typical each object is of the training objects"},
                ],
                "requestBody": {"required": true, "content": {
                    "application/json": {"schema": {"type": "object", "required": ["objects"], "properties": {
                        "objects": {"type": "array", "items": {"type": "object", "properties": columns}}}}},
                    "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
                }},
                "responses": {
                    "200": {"description": "Predictions, in the order of the objects", "content": {"application/json": {
                        "schema": {"$ref": "#/components/schemas/Predictions"}}}},
                    "400": fault("The data cannot be read or does not fit the model"),
                    "401": fault("The token is missing or wrong"),
                    "403": fault("The request names another host, or comes from a page of another origin"),
                    "408": fault("The body was sent too slowly"),
                    "413": fault("The body is too large, or needs more memory than allowed for a request"),
                    "503": fault("The request took too long, or there are too many requests: try again after Retry-After"),
                },
            }},
            "/model": {"get": {"summary": "Describe the model", "operationId": "model",
                "responses": {"200": {"description": "Kernel, learner, columns, certificates"}}}},
            "/health": {"get": {"summary": "Check whether the server is ready", "operationId": "health",
                "responses": {"200": {"description": "Ready"}, "503": {"description": "Shutting down"}}}},
            "/metrics": {"get": {"summary": "Metrics of the server", "operationId": "metrics",
                "responses": {"200": {"description": "Metrics in Prometheus' text format", "content": {"text/plain": {}}}}}},
        },
        "components": {"schemas": {
            "Predictions": {"type": "object", "properties": {
                "objects": {"type": "integer"},
                "rows": {"type": "array", "items": {"type": "integer"},
                    "description": "The row of each object in the request, counted from 1; only where others were left out"},
                "predictions": {"type": "array", "items": {"type": ["string", "number", "null"]}},
                "classes": {"type": "array", "items": {"type": "string"}},
                "decisions": {"$ref": "#/components/schemas/Columns"},
                "probabilities": {"oneOf": [{"$ref": "#/components/schemas/Columns"}, {"type": "null"}]},
                "explanations": {"type": ["array", "null"], "items": {"type": "object"}},
                "nearest": {"type": ["array", "null"], "items": {"type": "array", "items": {"type": "object"}}},
                "explained_by": {"enum": ["features", "columns", "support objects", "parts", null]},
                "explained_note": {"type": "string", "description": "How explanations by columns or parts were computed, and what they compare with"},
                "not_explained": {"type": ["object", "null"], "description": "Why a requested explanation is missing"},
                "warnings": {"type": "array", "items": {"type": "string"}},
            }},
            "Columns": {"type": "object", "properties": {
                "columns": {"type": "array", "items": {"type": "string"}},
                "values": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
            }},
            "Fault": {"type": "object", "properties": {"error": {"type": "object", "properties": {
                "code": {"type": "string"}, "message": {"type": "string"}, "hint": {"type": ["string", "null"]}}}}},
        }},
    });
    let answer = &mut document["components"]["schemas"]["Predictions"]["properties"];
    answer["confidence"] = json!({"type": "number"});
    answer["sets"] = json!({"type": "array", "items": {"type": "array", "items": {"type": "string"}}});
    answer["p_values"] = json!({"$ref": "#/components/schemas/Columns"});
    let end = json!({"type": ["number", "null"], "description": "null if infinite"});
    answer["intervals"] = json!({"type": "array", "items": {"type": "array", "items": end}});
    answer["typicality"] = json!({"type": "array", "items": {"type": "number"}});
    answer["in_domain"] = json!({"type": "array", "items": {"type": "boolean"}});
    if token {
        document["components"]["securitySchemes"] = json!({"token": {"type": "http", "scheme": "bearer"}});
        document["paths"]["/predict"]["post"]["security"] = json!([{"token": []}]);
        document["paths"]["/model"]["get"]["security"] = json!([{"token": []}]);
        document["paths"]["/metrics"]["get"]["security"] = json!([{"token": []}]);
    }
    document
}
