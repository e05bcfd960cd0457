"""Settings of other libraries' files that change nothing of what a model computes, and why."""

WHY = {
    "they say who wrote the file, and for which of its classes": (
        "_name_or_path _commit_hash architectures transformers_version transformers.js_config "
        "tokenizer_class is_llama_config unsloth_fixed unsloth_version"
    ),
    "the tensors say themselves in which type they are stored": "dtype torch_dtype use_bfloat16",
    "they choose a kernel, an order of sums or a place in memory for the same function": (
        "_attn_implementation _attn_implementation_autoset _flash_attn_2_enabled "
        "attn_implementation pretraining_tp "
        "chunk_size_feed_forward reorder_and_upcast_attn gradient_checkpointing torchscript "
        "xla_device"
    ),
    "they count in training only": (
        "initializer_range initializer_factor attention_dropout attention_probs_dropout_prob "
        "hidden_dropout_prob classifier_dropout dropout_rate resid_pdrop embd_pdrop attn_pdrop "
        "tf_legacy_loss"
    ),
    "they choose what a call returns besides": (
        "use_cache output_past output_attentions output_hidden_states output_scores return_dict "
        "return_dict_in_generate"
    ),
    "they say which tokens begin, part or fill up a text, or how one is drawn": (
        "bos_token_id pad_token_id sep_token_id unk_token_id cls_token_id mask_token_id "
        "decoder_start_token_id n_special "
        "forced_bos_token_id forced_eos_token_id predict_special_tokens task_specific_params "
        "prefix do_sample temperature top_k top_p num_beams num_return_sequences "
        "repetition_penalty length_penalty no_repeat_ngram_size early_stopping max_length "
        "min_length typical_p diversity_penalty num_beam_groups encoder_no_repeat_ngram_size "
        "remove_invalid_values"
    ),
    "they concern heads, such as a classifier's, that are not read": (
        "id2label label2id num_labels _num_labels problem_type finetuning_task summary_type "
        "summary_use_proj summary_activation summary_proj_to_labels summary_first_dropout "
        "pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers pooler_size_per_head "
        "pooler_type"
    ),
    "another setting of the same file, which is read, says the same": (
        "n_ctx max_sequence_length directionality"
    ),
}
HARMLESS = frozenset(name for names in WHY.values() for name in names.split())
